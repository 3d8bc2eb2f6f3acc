"""Tests of the signing keys: shared by all processes, encrypted at rest, and never a reason for a failure."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection as database
from django.utils import timezone
from pytest_django import Settings

from oauthserver.models import SigningKey
from oauthserver.resource_server.bearer import authenticate
from oauthserver.tokens import access_tokens, signing_keys
from oauthserver.tokens.public_keys import KeyRing, published_keys
from oauthserver.tokens.signing_keys import signing_key
from tests.support.oauth.flow import Connection, call

PROCESSES = 6


@pytest.fixture
def restart(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A function that empties the caches of the process."""

    def forget() -> None:
        signing_keys._decrypt.cache_clear()
        monkeypatch.setattr(access_tokens, "_key_ring", KeyRing())

    return forget


@pytest.mark.django_db(transaction=True)
def test_processes_that_start_at_once_agree_on_one_key() -> None:
    start = Barrier(PROCESSES)

    def first_use(_: int) -> str:
        try:
            start.wait(timeout=30)
            return signing_key().kid
        finally:
            database.close()

    with ThreadPoolExecutor(PROCESSES) as pool:
        kids = set(pool.map(first_use, range(PROCESSES), timeout=60))

    assert kids == {SigningKey.objects.get().kid}


@pytest.mark.django_db
def test_a_restart_keeps_the_key_and_the_connections(connection: Connection, restart: Callable[[], None]) -> None:
    kid = signing_key().kid
    restart()

    assert signing_key().kid == kid
    assert authenticate(call(connection.access_token)).client_name == "Notebook"


@pytest.mark.django_db
def test_the_key_is_named_by_its_rfc_7638_thumbprint() -> None:
    (jwk,) = published_keys()
    canonical = json.dumps({"e": jwk["e"], "kty": "RSA", "n": jwk["n"]}, separators=(",", ":"))
    thumbprint = base64.urlsafe_b64encode(hashlib.sha256(canonical.encode()).digest()).rstrip(b"=").decode()

    assert jwk["kid"] == thumbprint == signing_key().kid


@pytest.mark.django_db
def test_the_private_key_is_encrypted_at_rest() -> None:
    signing_key()
    stored = SigningKey.objects.get().encrypted_private_key

    assert "PRIVATE" not in stored
    assert stored.startswith("gAAAA"), "a Fernet token begins with its version and a time"


@pytest.mark.django_db
def test_a_changed_secret_key_leads_to_a_new_key_a_warning_and_no_disconnection(
    connection: Connection, settings: Settings, caplog: pytest.LogCaptureFixture, restart: Callable[[], None]
) -> None:
    old = signing_key().kid
    settings.SECRET_KEY = "another secret key, long enough for anyone"
    restart()

    with caplog.at_level(logging.WARNING, logger="oauthserver.tokens.signing_keys"):
        new = signing_key().kid

    assert new != old
    assert "SECRET_KEY has changed" in caplog.text
    assert [key["kid"] for key in published_keys()] == [new, old]
    assert authenticate(call(connection.access_token)).client_name == "Notebook"
    assert connection.registration.refresh(connection.refresh_token).status_code == 200


@pytest.mark.django_db
def test_a_key_under_a_former_secret_key_goes_on_signing(settings: Settings, restart: Callable[[], None]) -> None:
    kid = signing_key().kid
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another secret key, long enough for anyone"
    restart()

    assert signing_key().kid == kid


@pytest.mark.django_db
def test_a_retired_key_is_published_until_its_last_token_has_expired(settings: Settings) -> None:
    retired = signing_key().kid
    lifetime = timedelta(seconds=settings.ACCESS_TOKEN_LIFETIME_SECONDS)
    SigningKey.objects.update(retired_at=timezone.now() - lifetime)
    assert retired in [key["kid"] for key in published_keys()]

    SigningKey.objects.filter(kid=retired).update(retired_at=timezone.now() - lifetime - timedelta(minutes=2))

    assert [key["kid"] for key in published_keys()] == [signing_key().kid]
