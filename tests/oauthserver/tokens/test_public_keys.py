"""Tests of a process's cache of public keys, and of its cost under a flood of forged tokens."""

from __future__ import annotations

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from oauthserver.models import SigningKey
from oauthserver.tokens import public_keys
from oauthserver.tokens.public_keys import LOOK_UPS_PER_SECOND, KeyRing
from oauthserver.tokens.signing_keys import rotate, signing_key

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kid", ["", "unknown", "../x", "a" * 43, "a" * 44, "a" * 42 + "\0"])
def test_an_unknown_key_is_none(kid: str) -> None:
    signing_key()

    assert KeyRing().find(kid) is None


def test_a_known_key_costs_one_query_a_minute(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    now = 1000.0
    monkeypatch.setattr("oauthserver.tokens.public_keys.time.monotonic", lambda: now)
    kid = signing_key().kid
    ring = KeyRing()
    with django_assert_num_queries(1):
        assert ring.find(kid) is ring.find(kid) is not None

    now += public_keys.KEY_CACHE_SECONDS

    with django_assert_num_queries(1):
        assert ring.find(kid) is ring.find(kid) is not None


def test_a_key_that_another_process_made_is_found_at_once() -> None:
    ring = KeyRing()
    assert ring.find(signing_key().kid)

    assert ring.find(rotate().kid)


def test_a_key_that_another_process_deleted_is_forgotten_within_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("oauthserver.tokens.public_keys.time.monotonic", lambda: now)
    kid = signing_key().kid
    ring = KeyRing()
    assert ring.find(kid)
    SigningKey.objects.all().delete()

    now += public_keys.KEY_CACHE_SECONDS

    assert ring.find(kid) is None


def test_a_flood_of_unknown_keys_costs_few_queries_and_leaves_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("common.networking.limiter.time.monotonic", lambda: 1000.0)
    kid = signing_key().kid
    ring = KeyRing()

    with CaptureQueriesContext(database) as queries:
        assert not any(ring.find(f"{number:043}") for number in range(1000))

    assert len(queries) == LOOK_UPS_PER_SECOND
    assert ring.find(kid)
