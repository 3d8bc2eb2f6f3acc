"""Tests of an external issuer's keys: their source, how often they are requested, and issuers that do not respond."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from oauthserver.tokens import issuer_keys
from oauthserver.tokens.issuer_keys import LIFETIME_SECONDS, MAX_BYTES, SECONDS_BETWEEN_FETCHES, IssuerKeys
from tests.support.oauth.external_issuer import PATH, Issuer, public_jwk, running_issuer

DISCOVERY = f"{PATH}/.well-known/openid-configuration"


@pytest.fixture(scope="module")
def running() -> Iterator[Issuer]:
    with running_issuer() as issuer:
        yield issuer


@pytest.fixture
def issuer(running: Issuer) -> Issuer:
    running.publish()
    running.requests.clear()
    running.was_asked.clear()
    return running


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The current time, which the test can set."""
    now = [1000.0]
    monkeypatch.setattr("oauthserver.tokens.issuer_keys.time.monotonic", lambda: now[0])
    monkeypatch.setattr("common.networking.limiter.time.monotonic", lambda: now[0])
    return now


def test_keys_are_found_by_discovery_and_kept(issuer: Issuer) -> None:
    keys = IssuerKeys(issuer.url)

    assert keys.find("first") is keys.find("first") is not None
    assert issuer.requests == [DISCOVERY, "/keys"]


def test_an_oauth_server_without_openid_is_found_too(issuer: Issuer) -> None:
    issuer.documents[f"/.well-known/oauth-authorization-server{PATH}"] = issuer.documents.pop(DISCOVERY)

    assert IssuerKeys(issuer.url).find("first")


def test_keys_whose_place_is_set_need_no_discovery(issuer: Issuer) -> None:
    assert IssuerKeys(issuer.url, f"{issuer.address}/keys").find("first")
    assert issuer.requests == ["/keys"]


def test_a_new_key_is_found_but_unknown_ones_are_not_asked_for_each_time(issuer: Issuer, clock: list[float]) -> None:
    keys = IssuerKeys(issuer.url)
    assert keys.find("first")
    issuer.requests.clear()
    for number in range(100):
        assert keys.find(f"forged-{number}") is None
    assert issuer.requests == []

    issuer.publish(public_jwk(issuer.key, "second"))
    clock[0] += SECONDS_BETWEEN_FETCHES

    assert keys.find("second")
    assert keys.find("first") is None
    assert len(issuer.requests) == 2


def test_keys_are_fetched_again_after_their_lifetime_and_kept_while_the_issuer_is_down(
    issuer: Issuer, clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    keys = IssuerKeys(issuer.url)
    assert keys.find("first")
    issuer.documents.clear()
    issuer.requests.clear()

    clock[0] += LIFETIME_SECONDS
    assert keys.find("first")
    assert keys.find("first")

    assert len(issuer.requests) == 2, "both places of its metadata, once"
    assert f"The keys of {issuer.url} cannot be fetched" in caplog.text

    issuer.publish(public_jwk(issuer.key, "second"))
    clock[0] += SECONDS_BETWEEN_FETCHES
    assert keys.find("first") is None


@pytest.mark.parametrize(
    "document",
    [
        {"issuer": "https://evil.example", "jwks_uri": "/keys"},
        {"issuer": "ISSUER"},
        {"issuer": "ISSUER", "jwks_uri": "http://elsewhere.example/keys"},
        {"issuer": "ISSUER", "jwks_uri": "file:///etc/passwd"},
        {"issuer": "ISSUER", "jwks_uri": "https://[::1"},
        {"issuer": "ISSUER", "jwks_uri": "https://localhost:99999/keys"},
        {"issuer": "ISSUER", "jwks_uri": "https://\u043a\ud800.example/keys"},
        {"issuer": "ISSUER", "jwks_uri": "https://169.254.169.254/keys"},
        {"issuer": "ISSUER", "jwks_uri": 7},
        {"issuer": "ISSUER", "jwks_uri": "ADDRESS/missing"},
        [],
        b"no json",
        b"\xff",
        b"[" * 100_000,
        b" " * MAX_BYTES + b"{}",
    ],
)
def test_metadata_that_is_wrong_leads_to_no_keys(
    issuer: Issuer, document: object, caplog: pytest.LogCaptureFixture
) -> None:
    if isinstance(document, dict):
        document = {
            name: value.replace("ISSUER", issuer.url).replace("ADDRESS", issuer.address)
            if isinstance(value, str)
            else value
            for name, value in document.items()
        }
    issuer.documents[DISCOVERY] = document

    assert IssuerKeys(issuer.url).find("first") is None
    assert "cannot be fetched" in caplog.text


@pytest.mark.parametrize("keys", [{}, {"keys": None}, {"keys": [7]}, {"keys": "x"}, [], b"<html>"])
def test_a_key_set_that_is_wrong_is_no_key_set(issuer: Issuer, keys: object) -> None:
    issuer.documents["/keys"] = keys

    assert IssuerKeys(issuer.url).find("first") is None


def test_keys_that_do_not_sign_are_left_out(issuer: Issuer) -> None:
    issuer.publish(public_jwk(issuer.key, "first", use="enc"), {"kty": "RSA"}, public_jwk(issuer.key, "second"))
    keys = IssuerKeys(issuer.url)

    assert keys.find("first") is None
    assert keys.find("second")


def test_a_machine_that_does_not_answer_leads_to_no_keys() -> None:
    assert IssuerKeys("http://127.0.0.1:9").find("first") is None


def test_those_who_come_first_at_once_wait_for_one_fetch(issuer: Issuer) -> None:
    keys = IssuerKeys(issuer.url)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(keys.find, ["first"] * 8, timeout=30))

    assert all(found)
    assert issuer.requests == [DISCOVERY, "/keys"]


def test_while_the_issuer_hangs_one_waits_for_it_and_the_others_do_not(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuer_keys, "SECONDS_BETWEEN_FETCHES", 0)
    keys = IssuerKeys(issuer.url)
    assert keys.find("first")
    issuer.may_answer.clear()
    issuer.was_asked.clear()

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(keys.find, "second")
        assert issuer.was_asked.wait(10)
        started = time.monotonic()
        assert [keys.find(f"forged-{number}") for number in range(100)] == [None] * 100
        assert keys.find("first")
        took = time.monotonic() - started
        issuer.publish(public_jwk(issuer.key, "second"))

        assert waiting.result(10)
    assert took < 0.5


def test_before_there_are_any_keys_nobody_waits_long_for_those_that_another_fetches(issuer: Issuer) -> None:
    keys = IssuerKeys(issuer.url)
    issuer.may_answer.clear()

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(keys.find, "first")
        assert issuer.was_asked.wait(10)
        started = time.monotonic()
        assert keys.find("first") is None
        took = time.monotonic() - started
        issuer.publish()

        assert waiting.result(10)
    assert issuer_keys.FIRST_KEYS_SECONDS <= took < 2


def test_all_that_an_issuer_is_asked_ends_by_one_deadline(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(issuer_keys, "DEADLINE_SECONDS", 0.5)
    issuer.may_answer.clear()
    started = time.monotonic()

    assert IssuerKeys(issuer.url).find("first") is None
    assert time.monotonic() - started < 0.9
    assert "did not respond in time" in caplog.text
