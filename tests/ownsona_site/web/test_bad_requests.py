"""Tests of the response to requests under an unknown host name."""

from __future__ import annotations

import pytest
from django.test import Client, RequestFactory
from django.utils import translation

from oauthserver.connections.failure_log import pending_failures
from oauthserver.models import FailedHandshake
from ownsona_site.web.bad_requests import bad_request
from ownsona_site.web.request_bodies import BodyTooLarge

WORDS = "The Host header is not the name of this server."

pytestmark = pytest.mark.django_db


@pytest.fixture
def stranger() -> Client:
    return Client(headers={"host": "elsewhere.example"})


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/tools/list"),
        ("POST", "/tools/recall"),
        ("GET", "/agents/list/"),
        ("GET", "/tools"),
        ("GET", "/health"),
        ("GET", "/metrics"),
    ],
)
def test_a_program_is_told_in_the_shape_of_plain_http(stranger: Client, method: str, path: str) -> None:
    response = stranger.generic(method, path)
    assert response.status_code == 400
    assert response.json() == {"error": {"code": "unknown_host", "message": WORDS}}
    assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/.well-known/oauth-authorization-server"),
        ("GET", "/.well-known/oauth-protected-resource/mcp"),
        ("POST", "/oauth/token"),
        ("POST", "/token"),
        ("POST", "/register"),
        ("PUT", "/oauth/register/abc"),
        ("POST", "/oauth/revoke"),
        ("POST", "/oauth/introspect"),
        ("GET", "/oauth/jwks"),
    ],
)
def test_a_client_that_connects_is_told_in_the_shape_of_oauth(stranger: Client, method: str, path: str) -> None:
    response = stranger.generic(method, path)
    assert response.status_code == 400
    assert response.json() == {"error": "invalid_request", "error_description": WORDS}


@pytest.mark.parametrize("path", ["/", "/login/", "/oauth/authorize", "/admin/", "/toolsmith", "/nowhere"])
def test_a_person_is_shown_a_page(stranger: Client, path: str) -> None:
    response = stranger.get(path)
    assert response.status_code == 400
    assert response["Content-Type"].startswith("text/html")
    assert "Invalid request" in response.content.decode()


def test_the_owner_can_see_that_it_happened(stranger: Client) -> None:
    stranger.get("/tools/list")
    pending_failures.flush()
    kept = FailedHandshake.objects.get()
    assert (kept.step, kept.reason) == ("discovery", "unknown_host")
    assert "'elsewhere.example'" in kept.details


@pytest.mark.parametrize(
    ("language", "words"), [("en", "larger than the 250.0\xa0KB"), ("de", "größer als die 250,0\xa0KB")]
)
def test_what_is_too_large_is_said_in_the_language_of_the_page(rf: RequestFactory, language: str, words: str) -> None:
    with translation.override(language):
        response = bad_request(rf.post("/admin/add/"), BodyTooLarge(256_000))
    page = response.content.decode()
    assert response.status_code == 413
    assert words in page
    assert "bytes" not in page
