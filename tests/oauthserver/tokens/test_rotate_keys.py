"""Tests of `manage.py rotate_keys`: a new key for all processes, and on request the end of old keys after a leak."""

from __future__ import annotations

from io import StringIO

import jwt
import pytest
from django.core.management import call_command

from oauthserver.resource_server.bearer import Unauthorized, authenticate
from oauthserver.tokens.signing_keys import signing_key
from tests.support.oauth.flow import Browser, Connection, Registration, call, http_client


def rotate(*arguments: str) -> str:
    """Run the command and return its output."""
    output = StringIO()
    call_command("rotate_keys", *arguments, stdout=output)
    return output.getvalue()


def published_kids() -> list[str]:
    return [key["kid"] for key in http_client().get("/oauth/jwks").json()["keys"]]


def test_new_tokens_are_signed_with_the_new_key_and_old_ones_stay_good(
    connection: Connection, browser: Browser, registration: Registration
) -> None:
    old = signing_key().kid

    said = rotate()

    new = signing_key().kid
    assert new in said
    assert published_kids() == [new, old]
    assert authenticate(call(connection.access_token)).client_name == "Notebook"
    later = Connection.of(browser, registration)
    assert jwt.get_unverified_header(later.access_token)["kid"] == new
    assert authenticate(call(later.access_token)).client_name == "Notebook"


def test_after_a_leak_old_tokens_are_refused_at_the_next_request_and_apps_renew_them(connection: Connection) -> None:
    authenticate(call(connection.access_token))

    said = rotate("--revoke-now")

    assert "Access tokens revoked: 1." in said
    assert published_kids() == [signing_key().kid]
    with pytest.raises(Unauthorized):
        authenticate(call(connection.access_token))
    renewed = connection.registration.refresh(connection.refresh_token).json()
    assert authenticate(call(renewed["access_token"])).client_name == "Notebook"


def test_the_first_rotation_of_all_makes_the_first_key(db: None) -> None:
    rotate()

    assert published_kids() == [signing_key().kid]
