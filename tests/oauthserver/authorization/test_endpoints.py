"""Tests of the responses of the form endpoints to any input."""

from __future__ import annotations

import base64

import pytest

from oauthserver.authorization.endpoints import FORM
from tests.support.oauth.flow import Connection, Registration, http_client, post_form

PATHS = ["/oauth/token", "/oauth/revoke", "/oauth/introspect"]
pytestmark = pytest.mark.django_db


def basic(credentials: str) -> str:
    return f"Basic {base64.b64encode(credentials.encode()).decode()}"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("authorization", [basic("nobody:secret"), basic("nobody:"), "Basic !", ""])
def test_a_client_that_is_not_known_is_asked_for_its_credentials(path: str, authorization: str) -> None:
    form = {"grant_type": "refresh_token", "refresh_token": "x", "token": "x"}

    response = post_form(path, form, authorization=authorization)

    assert (response.status_code, response.json()["error"]) == (401, "invalid_client")
    assert response["WWW-Authenticate"] == 'Basic realm="OwnSona"'


def test_nothing_that_tells_of_tokens_is_kept_by_anyone(connection: Connection) -> None:
    app = connection.registration
    own = {"client_id": app.client_id, "token": connection.access_token}
    answers = [
        app.refresh(connection.refresh_token),
        app.refresh("unknown"),
        app.exchange("unknown"),
        post_form("/oauth/introspect", own),
        post_form("/oauth/revoke", own),
        post_form("/oauth/token?client_id=x", {}),
        post_form("/oauth/token", {"client_id": "nobody"}),
        http_client().post("/oauth/token", {}, content_type="application/json"),
    ]

    assert [answer.status_code for answer in answers] == [200, 400, 400, 200, 200, 400, 400, 400]
    for answer in answers:
        assert (answer["Cache-Control"], answer["Pragma"]) == ("no-store", "no-cache")
        assert answer["Content-Type"] == "application/json"


def test_an_error_says_what_may_be_the_matter_but_not_which(connection: Connection) -> None:
    app = connection.registration
    spent = connection.refresh_token
    app.refresh(spent)

    unknown, replayed, foreign = app.refresh("unknown"), app.refresh(spent), Registration.of_new_app().refresh(spent)

    assert "already used" in unknown.json()["error_description"]
    assert unknown.json() == replayed.json() == foreign.json()


@pytest.mark.parametrize("path", ["/oauth/revoke", "/oauth/introspect"])
@pytest.mark.parametrize(
    ("addition", "problem"),
    [("&token=again", "Duplicate token parameter."), ("&x=%00", "A parameter contains a NUL character.")],
)
def test_revocation_and_introspection_refuse_what_can_be_read_in_two_ways(
    connection: Connection, path: str, addition: str, problem: str
) -> None:
    body = f"client_id={connection.registration.client_id}&token={connection.access_token}{addition}"

    response = http_client().post(path, body, content_type=FORM)

    assert (response.status_code, response.json()["error_description"]) == (400, problem)


@pytest.mark.parametrize("path", ["/oauth/revoke", "/oauth/introspect"])
def test_parameters_in_the_url_are_refused_everywhere(connection: Connection, path: str) -> None:
    own = {"client_id": connection.registration.client_id, "token": connection.access_token}

    response = post_form(f"{path}?token=x", own)

    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("&".join(f"a{number}=b" for number in range(2000)), FORM),
        ("grant_type=x", f"{FORM}; charset=utf-16"),
        ("grant_type=x", f"{FORM}; charset=utf-7"),
        ("grant_type=x", "multipart/form-data"),
        ("grant_type=x", "text/plain"),
        ("grant_type=x", ""),
    ],
)
def test_a_body_that_is_no_plain_form_is_refused_in_json(path: str, body: str, content_type: str) -> None:
    response = http_client().generic("POST", path, body.encode(), content_type=content_type)

    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
def test_forms_are_posted_and_nothing_else(path: str, method: str) -> None:
    assert http_client().generic(method, path).status_code == 405
