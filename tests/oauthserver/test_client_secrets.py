"""Client secrets at rest."""

from __future__ import annotations

import pytest

from oauthserver.client_secrets import hash_secret, new_secret, secret_matches


def test_a_secret_matches_its_own_hash_and_no_other() -> None:
    secret = new_secret()
    stored = hash_secret(secret)

    assert secret_matches(secret, stored)
    assert not secret_matches(new_secret(), stored)
    assert secret not in stored


def test_two_hashes_of_one_secret_differ() -> None:
    assert hash_secret("same") != hash_secret("same")


@pytest.mark.parametrize(
    ("secret", "stored"), [("", ""), ("", "$"), ("x", ""), ("x", "x"), ("", "salt$digest"), ("x", "$")]
)
def test_nothing_blank_ever_matches(secret: str, stored: str) -> None:
    assert not secret_matches(secret, stored)


def test_a_blank_secret_does_not_match_its_own_hash() -> None:
    assert not secret_matches("", hash_secret(""))
