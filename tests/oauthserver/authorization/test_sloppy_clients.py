"""Tests of sloppy requests that real clients send and that are accepted."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from oauthserver.authorization.endpoints import FORM
from tests.support.oauth.flow import REDIRECT_URI, VERIFIER, Browser, Registration, http_client, post_form, ticked

RESOURCES = [
    "http://127.0.0.1:8000/mcp",
    "http://127.0.0.1:8000/mcp/",
    "http://127.0.0.1:8000/",
    "http://127.0.0.1:8000",
]


@pytest.fixture
def code(browser: Browser, registration: Registration) -> str:
    return browser.decide(registration.authorize_url())["code"]


@pytest.fixture
def confidential() -> Registration:
    return Registration.of_new_app(token_endpoint_auth_method="client_secret_basic")


@pytest.mark.parametrize("scope", ["openid memory:read profile", " memory:read  offline", "memory:read\tmcp"])
def test_scopes_that_mean_nothing_here_are_passed_over(
    browser: Browser, registration: Registration, scope: str
) -> None:
    url = registration.authorize_url(scope=scope)

    assert ticked(browser.client.get(url).content.decode()) == {"memory:read", "all"}
    assert registration.exchange(browser.decide(url, scopes="memory:read")["code"]).json()["scope"] == "memory:read"


@pytest.mark.parametrize("scope", ["", " ", "openid email", "claudeai"])
def test_an_app_that_names_no_scope_of_ours_is_treated_as_if_it_named_none(
    browser: Browser, registration: Registration, scope: str
) -> None:
    page = browser.client.get(registration.authorize_url(scope=scope)).content.decode()

    assert ticked(page) == {"memory:read", "memory:write", "all"}


@pytest.mark.parametrize(
    "extra", [{"access_type": "offline"}, {"audience": "memory"}, {"prompt": "consent"}, {"ui_locales": "de"}]
)
def test_parameters_of_other_servers_change_nothing(
    browser: Browser, registration: Registration, extra: dict[str, str]
) -> None:
    assert "code" in browser.decide(registration.authorize_url(**extra))


@pytest.mark.parametrize("resource", [*RESOURCES, ""])
def test_the_resource_may_be_named_with_or_without_a_slash(
    browser: Browser, registration: Registration, resource: str
) -> None:
    code = browser.decide(registration.authorize_url(resource=resource))["code"]

    assert registration.exchange(code, resource=resource, scope="").status_code == 200


@pytest.mark.parametrize("scheme", ["Basic", "basic", "BASIC"])
def test_the_name_of_the_basic_scheme_may_be_written_in_any_case(
    browser: Browser, confidential: Registration, scheme: str
) -> None:
    answer = _exchange(browser, confidential, f"{scheme} {_credentials(confidential)}")

    assert answer.status_code == 200


def test_id_and_secret_may_be_url_encoded_in_the_header_as_oauth_has_it(
    browser: Browser, confidential: Registration
) -> None:
    encoded = {name: f"%{ord(value[0]):02X}{quote(value[1:])}" for name, value in _named(confidential).items()}

    answer = _exchange(browser, confidential, f"Basic {_base64(encoded)}")

    assert answer.status_code == 200


def test_id_and_secret_may_stand_in_the_form_and_in_the_header(browser: Browser, confidential: Registration) -> None:
    answer = _exchange(browser, confidential, f"Basic {_credentials(confidential)}", **_named(confidential))

    assert answer.status_code == 200


def test_an_app_may_send_its_secret_in_the_other_way_than_it_registered(
    browser: Browser, confidential: Registration
) -> None:
    code = browser.decide(confidential.authorize_url())["code"]

    assert confidential.exchange(code, client_secret=confidential.answer["client_secret"]).status_code == 200


def test_an_app_without_a_secret_may_send_an_empty_one(registration: Registration, code: str) -> None:
    assert registration.exchange(code, client_secret="").status_code == 200


def test_an_app_whose_entry_is_gone_is_told_so_and_can_register_anew(registration: Registration, code: str) -> None:
    answer = registration.exchange(code, client_id="deleted")

    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")


def test_a_form_may_name_its_character_set(registration: Registration, code: str) -> None:
    body = urlencode({**_form(code), "client_id": registration.client_id})

    assert http_client().post("/oauth/token", body, content_type=f"{FORM}; charset=UTF-8").status_code == 200


def test_a_client_that_knows_no_metadata_finds_everything_at_the_root(browser: Browser) -> None:
    metadata = {"redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": "none"}
    app = Registration(http_client().post("/register", metadata, content_type="application/json").json())
    code = browser.decide(app.authorize_url().removeprefix("/oauth"))["code"]

    assert post_form("/token", {**_form(code), "client_id": app.client_id}).status_code == 200


def _form(code: str) -> dict[str, str]:
    return {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": REDIRECT_URI,
        "code_verifier": VERIFIER,
    }


def _named(app: Registration) -> dict[str, str]:
    return {name: str(app.answer[name]) for name in ("client_id", "client_secret")}


def _base64(credentials: dict[str, str]) -> str:
    return base64.b64encode(":".join(credentials.values()).encode()).decode()


def _credentials(app: Registration) -> str:
    return _base64(_named(app))


def _exchange(browser: Browser, app: Registration, authorization: str, **more: str) -> Any:
    """Exchange a code of `app` with this Authorization header. Return the response of the token endpoint."""
    code = browser.decide(app.authorize_url())["code"]
    return post_form("/oauth/token", {**_form(code), **more}, authorization=authorization)
