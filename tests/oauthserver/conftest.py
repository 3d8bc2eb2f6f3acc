"""Fixtures for the tests of the authorization server."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from oauthserver.models import User
from oauthserver.resource_server import bearer
from oauthserver.resource_server.token_cache import TokenCache
from oauthserver.tokens import external_issuer, signing_keys
from tests.support.oauth.flow import PASSWORD, Browser, Connection, Registration


@pytest.fixture(autouse=True)
def fresh_process(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty caches of the process, and the public URL of the tests."""
    monkeypatch.setattr(bearer, "_verified_tokens", TokenCache())
    monkeypatch.setattr(bearer, "_verified_external_tokens", TokenCache())
    external_issuer.issuer_keys.cache_clear()
    signing_keys._decrypt.cache_clear()
    settings.PUBLIC_URL = "http://127.0.0.1:8000"


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("owner", password=PASSWORD)


@pytest.fixture
def browser(owner: User) -> Browser:
    """The owner's browser, logged in."""
    browser = Browser()
    browser.client.force_login(owner)
    return browser


@pytest.fixture
def registration(db: None) -> Registration:
    """A public app that has just registered itself."""
    return Registration.of_new_app()


@pytest.fixture
def connection(browser: Browser, registration: Registration) -> Connection:
    """The connection of `registration` with all three scopes."""
    return Connection.of(browser, registration)
