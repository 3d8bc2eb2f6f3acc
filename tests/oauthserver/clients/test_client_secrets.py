"""Tests of the storage of client secrets."""

from __future__ import annotations

import hmac
from unittest.mock import Mock

import pytest

from oauthserver.clients.client_secrets import hash_secret, new_secret, secret_matches


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


def test_secrets_are_compared_in_a_time_that_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    compare = Mock(wraps=hmac.compare_digest)
    monkeypatch.setattr("oauthserver.clients.client_secrets.hmac.compare_digest", compare)
    stored = hash_secret("right")

    assert [secret_matches(secret, stored) for secret in ("right", "wrong", "r")] == [True, False, False]
    assert compare.call_count == 3
    assert {len(argument) for one_call in compare.call_args_list for argument in one_call.args} == {64}


def test_a_blank_secret_does_not_match_its_own_hash() -> None:
    assert not secret_matches("", hash_secret(""))
