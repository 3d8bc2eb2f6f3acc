"""Tests of the whole flow of an app, from its registration to a token and its revocation."""

from __future__ import annotations

import jwt
import pytest
from pytest_django import Settings

from oauthserver import models
from oauthserver.models import User
from oauthserver.resource_server.bearer import Unauthorized, authenticate
from tests.support.oauth.flow import (
    ALL_SCOPES,
    ALLOW_READING,
    PASSWORD,
    Browser,
    Connection,
    Registration,
    call,
    http_client,
    parameters_of,
    post_form,
    ticked,
)


@pytest.mark.parametrize("auth_method", ["none", "client_secret_basic", "client_secret_post"])
def test_an_app_that_knows_nothing_gets_from_registration_to_an_accepted_token(
    browser: Browser, owner: User, auth_method: str
) -> None:
    app = Registration.of_new_app(token_endpoint_auth_method=auth_method)
    code = browser.decide(app.authorize_url())["code"]
    secret = {} if auth_method == "none" else {"client_secret": app.answer["client_secret"]}

    tokens = app.exchange(code, **secret).json()

    principal = authenticate(call(tokens["access_token"]))
    assert principal.owner_id == owner.pk
    assert (principal.client_id, principal.client_name) == (app.client_id, "Notebook")
    assert principal.scopes == set(ALL_SCOPES.split())
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 3600)


def test_a_signed_out_person_logs_in_first_and_comes_back_to_the_consent_page(
    owner: User, registration: Registration
) -> None:
    client = http_client()
    url = registration.authorize_url()
    response = client.get(url)
    assert response.status_code == 302
    assert response["Location"].startswith("/login/?next=/oauth/authorize")

    response = client.post(response["Location"], {"username": "owner", "password": PASSWORD})

    assert response["Location"] == url
    assert "Notebook" in client.get(url).content.decode()


def test_the_access_token_is_an_rfc_9068_token(connection: Connection, owner: User) -> None:
    header = jwt.get_unverified_header(connection.access_token)
    claims = jwt.decode(connection.access_token, options={"verify_signature": False})
    keys = http_client().get("/oauth/jwks").json()["keys"]

    assert (header["alg"], header["typ"]) == ("RS256", "at+jwt")
    assert header["kid"] in [key["kid"] for key in keys]
    assert claims["iss"] == "http://127.0.0.1:8000"
    assert claims["aud"] == "http://127.0.0.1:8000/mcp"
    assert claims["sub"] == str(owner.pk)
    assert claims["client_id"] == connection.registration.client_id
    assert claims["scope"] == ALL_SCOPES
    assert claims["exp"] - claims["iat"] == 3600
    assert claims["nbf"] == claims["iat"]
    assert claims["jti"]


def test_a_person_can_grant_less_than_was_asked_for(browser: Browser, registration: Registration) -> None:
    connection = Connection.of(browser, registration, scopes="memory:read")

    assert connection.tokens["scope"] == "memory:read"
    assert authenticate(call(connection.access_token)).scopes == {"memory:read"}


def test_an_app_that_names_no_scope_is_offered_all_three_with_admin_not_ticked(
    browser: Browser, registration: Registration
) -> None:
    page = browser.client.get(registration.authorize_url(scope=None)).content.decode()

    assert ticked(page) == {"memory:read", "memory:write", "all"}
    assert 'value="memory:admin"' in page


def test_nothing_ticked_is_asked_again_rather_than_granted(browser: Browser, registration: Registration) -> None:
    response = browser.client.post(registration.authorize_url(), {"decision": "allow"})

    assert response.status_code == 200
    assert "Select at least one permission" in response.content.decode()


def test_deny_sends_the_person_back_with_state_and_issuer(browser: Browser, registration: Registration) -> None:
    answer = browser.decide(registration.authorize_url(), decision="deny")

    assert answer == {"error": "access_denied", "state": "xyz", "iss": "http://127.0.0.1:8000"}


def test_the_code_comes_with_state_and_issuer(browser: Browser, registration: Registration) -> None:
    answer = browser.decide(registration.authorize_url())

    assert answer.keys() == {"code", "state", "iss"}
    assert (answer["state"], answer["iss"]) == ("xyz", "http://127.0.0.1:8000")


def test_a_refresh_replaces_both_tokens(connection: Connection) -> None:
    tokens = connection.registration.refresh(connection.refresh_token).json()

    assert tokens["refresh_token"] != connection.refresh_token
    assert authenticate(call(tokens["access_token"])).scopes == set(ALL_SCOPES.split())
    with pytest.raises(Unauthorized, match="revoked"):
        authenticate(call(connection.access_token))


def test_a_refresh_can_narrow_the_scope_but_never_widen_it(browser: Browser, registration: Registration) -> None:
    connection = Connection.of(browser, registration, scopes="memory:read memory:write")

    wider = registration.refresh(connection.refresh_token, scope="memory:read memory:admin")
    narrower = registration.refresh(connection.refresh_token, scope="memory:read")

    assert wider.json()["error"] == "invalid_scope"
    assert narrower.json()["scope"] == "memory:read"


@pytest.mark.parametrize("asked", [{}, {"scope": "memory:read memory:write"}])
def test_a_refresh_for_less_leaves_the_next_refresh_token_as_it_was(
    browser: Browser, registration: Registration, asked: dict[str, str]
) -> None:
    tokens = Connection.of(browser, registration, scopes="memory:read memory:write").tokens

    for _ in range(2):
        tokens = registration.refresh(tokens["refresh_token"], scope="memory:read").json()
        assert tokens["scope"] == "memory:read"
        assert authenticate(call(tokens["access_token"])).scopes == {"memory:read"}
        own = {"client_id": registration.client_id, "token": tokens["refresh_token"]}
        assert post_form("/oauth/introspect", own).json()["scope"] == "memory:read memory:write"
    beyond = registration.refresh(tokens["refresh_token"], scope="memory:read memory:write memory:admin")
    assert beyond.json()["error"] == "invalid_scope"
    tokens = registration.refresh(tokens["refresh_token"], **asked).json()

    assert tokens["scope"] == "memory:read memory:write"
    assert authenticate(call(tokens["access_token"])).scopes == {"memory:read", "memory:write"}


def test_what_the_owner_takes_away_no_refresh_brings_back(browser: Browser, registration: Registration) -> None:
    tokens = Connection.of(browser, registration).tokens
    tokens = registration.refresh(tokens["refresh_token"], scope="memory:read").json()
    models.Connection.objects.update(scopes=["memory:read", "memory:write"])

    wider = registration.refresh(tokens["refresh_token"], scope="memory:admin")
    tokens = registration.refresh(tokens["refresh_token"]).json()

    assert wider.json()["error"] == "invalid_scope"
    assert tokens["scope"] == "memory:read memory:write"
    assert authenticate(call(tokens["access_token"])).scopes == {"memory:read", "memory:write"}


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_revoking_either_token_ends_both_at_once(connection: Connection, which: str) -> None:
    form = {"token": connection.tokens[which], "client_id": connection.registration.client_id}
    authenticate(call(connection.access_token))

    assert post_form("/oauth/revoke", form).status_code == 200

    with pytest.raises(Unauthorized, match="revoked"):
        authenticate(call(connection.access_token))
    assert connection.registration.refresh(connection.refresh_token).json()["error"] == "invalid_grant"


def test_an_app_can_introspect_its_own_tokens(connection: Connection, owner: User) -> None:
    form = {"token": connection.access_token, "client_id": connection.registration.client_id}

    answer = post_form("/oauth/introspect", form).json()

    claims = jwt.decode(connection.access_token, options={"verify_signature": False})
    assert claims["jti"]
    assert answer == {
        "active": True,
        "iss": "http://127.0.0.1:8000",
        "scope": ALL_SCOPES,
        "client_id": connection.registration.client_id,
        "sub": str(owner.pk),
        "aud": "http://127.0.0.1:8000/mcp",
        "token_type": "Bearer",
        **{name: claims[name] for name in ("jti", "exp", "iat", "nbf")},
    }


def test_a_refresh_token_has_an_issuer_and_no_claims_of_an_access_token(connection: Connection, owner: User) -> None:
    form = {"token": connection.refresh_token, "client_id": connection.registration.client_id}

    assert post_form("/oauth/introspect", form).json() == {
        "active": True,
        "iss": "http://127.0.0.1:8000",
        "scope": ALL_SCOPES,
        "client_id": connection.registration.client_id,
        "sub": str(owner.pk),
        "aud": "http://127.0.0.1:8000/mcp",
    }


def test_a_token_that_the_resource_server_would_refuse_is_not_active(
    connection: Connection, settings: Settings
) -> None:
    form = {"token": connection.access_token, "client_id": connection.registration.client_id}
    settings.PUBLIC_URL = "https://moved.example"

    assert post_form("/oauth/introspect", form).json() == {"active": False}


def test_a_private_use_scheme_gets_its_code(browser: Browser) -> None:
    uri = "cursor://anysphere.cursor-retrieval/oauth/callback"
    app = Registration.of_new_app(redirect_uris=[uri])

    page = browser.client.get(app.authorize_url(redirect_uri=uri)).content.decode()
    response = browser.client.post(app.authorize_url(redirect_uri=uri), ALLOW_READING)

    assert "This page stays open: once you have decided, close it and continue in the app." in page
    assert response["Location"].startswith(uri + "?")
    code = parameters_of(response["Location"])["code"]
    assert app.exchange(code, redirect_uri=uri).status_code == 200
