"""Tests of apps with a URL as client id: the content of their document, when it is fetched, and changes to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from threading import Barrier
from typing import Any

import pytest
from django.db import connection as database
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from common.networking.limiter import FixedWindowLimiter
from common.networking.outbound import FetchedDocument, FetchError, NetworkPolicy
from oauthserver.clients import client_documents
from oauthserver.clients.client_documents import FETCHES_PER_MINUTE, document_url_problem, update_client_from_document
from oauthserver.models import Application
from oauthserver.resource_server.bearer import authenticate
from tests.support.oauth.flow import REDIRECT_URI, Browser, Connection, Registration, call, http_client
from tests.support.oauth.https_server import HOST, HttpsServer, https_server

CLIENT_ID = f"https://{HOST}/client.json"
DOCUMENT: dict[str, Any] = {
    "client_id": CLIENT_ID,
    "client_name": "Example",
    "redirect_uris": [REDIRECT_URI],
    "token_endpoint_auth_method": "none",
}
APP = Registration({"client_id": CLIENT_ID})


def document(**changes: Any) -> bytes:
    return json.dumps({**DOCUMENT, **changes}).encode()


@pytest.fixture(scope="module")
def running() -> Iterator[HttpsServer]:
    with https_server() as server:
        yield server


@pytest.fixture(autouse=True)
def fresh_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_documents, "_fetches", FixedWindowLimiter(FETCHES_PER_MINUTE, period_seconds=60))


@pytest.fixture
def server(running: HttpsServer, monkeypatch: pytest.MonkeyPatch) -> HttpsServer:
    """The app's server, with its document."""
    monkeypatch.setattr(client_documents, "network_policy", running.network)
    running.answer(document())
    running.requests.clear()
    return running


def refused(browser: Browser, client_id: str = CLIENT_ID) -> str:
    """Return the page that refuses the app, which the owner sees instead of the consent page."""
    response = browser.client.get(APP.authorize_url(client_id=client_id))
    assert response.status_code == 400
    page = response.content.decode()
    assert "This app cannot be connected" in page
    assert "invalid_client" in page
    return page


def expire() -> None:
    """Let the cached document expire."""
    Application.objects.update(cimd_expires_at=timezone.now() - timedelta(seconds=1))


def test_an_app_that_nobody_registered_gets_from_its_document_to_an_accepted_token(
    server: HttpsServer, browser: Browser
) -> None:
    connection = Connection.of(browser, APP)

    principal = authenticate(call(connection.access_token))
    assert (principal.client_id, principal.client_name) == (CLIENT_ID, "Example")
    assert connection.registration.refresh(connection.refresh_token).status_code == 200
    assert len(server.requests) == 1, "the token endpoint fetches nothing, and the answer to the page came in time"


def test_the_page_names_who_published_the_app_and_that_others_on_this_computer_can_pose_as_it(
    server: HttpsServer, browser: Browser
) -> None:
    page = browser.client.get(APP.authorize_url()).content.decode()
    assert "Example" in page
    assert f'<strong class="destination">{HOST}</strong>' in page
    assert "impersonate it" in page

    expire()
    server.answer(document(redirect_uris=[REDIRECT_URI, "https://app.example/callback"]))

    page = browser.client.get(APP.authorize_url()).content.decode()
    assert f'<strong class="destination">{HOST}</strong>' in page
    assert "impersonate it" not in page


def test_the_answer_goes_only_where_the_document_says(server: HttpsServer, browser: Browser) -> None:
    response = browser.client.get(APP.authorize_url(redirect_uri="https://evil.example/callback"))

    assert response.status_code == 400


def test_nothing_is_fetched_for_a_stranger(server: HttpsServer, db: None) -> None:
    response = http_client().get(APP.authorize_url())

    assert response["Location"].startswith("/login/?next=/oauth/authorize")
    assert server.requests == []
    assert not Application.objects.exists()


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke", "/oauth/introspect"])
def test_no_other_endpoint_fetches_anything(server: HttpsServer, db: None, path: str) -> None:
    form = f"client_id={CLIENT_ID}&grant_type=refresh_token&refresh_token=x&token=x"

    response = http_client().post(path, form, content_type="application/x-www-form-urlencoded")

    assert response.json()["error"] == "invalid_client"
    assert server.requests == []


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("https://app.example", "no path"),
        ("https://app.example?x=1", "no path"),
        ("https://app.example/a#b", "fragment"),
        ("https://app.example/a#", "fragment"),
        ("https://user@app.example/a", "user name"),
        ("https://user:pw@app.example/a", "user name"),
        ("https://@app.example/a", "user name"),
        ("https://app.example/a/../b", "dot segment"),
        ("https://app.example/./b", "dot segment"),
        ("https://app.example/a/..", "dot segment"),
        ("https://app.example/%2e%2E/b", "dot segment"),
        ("https://app.example:8443/a", "port"),
        ("https://app.example:/a", "port"),
        ("https://app.example:x/a", "valid URL"),
        ("https://[::1]/a", "public internet"),
        ("https://[::1/a", "valid URL"),
        ("https://127.0.0.1/a", "public internet"),
        ("https://2130706433/a", "public internet"),
        ("https://0x7f000001/a", "public internet"),
        ("https://0177.0.0.1/a", "public internet"),
        ("https://127.1/a", "public internet"),
        ("https://localhost/a", "public internet"),
        ("https://LOCALHOST/a", "public internet"),
        ("https://x.localhost/a", "public internet"),
        ("https://app.example./a", "public internet"),
        ("https://-app.example/a", "public internet"),
        ("https:///a", "public internet"),
        ("https://app.example\\@evil.example/a", "character"),
        ("https://app.example/a b", "character"),
        ("https://app.example/a\n", "character"),
        ("https://app.example/\0", "character"),
        ("https://äpp.example/a", "character"),
        ("https://app.example/" + "a" * 240, "longer"),
    ],
)
def test_an_address_that_no_app_may_have_is_refused_by_reason_and_never_fetched(
    server: HttpsServer, browser: Browser, url: str, problem: str
) -> None:
    assert problem in (document_url_problem(url) or "")
    assert problem in refused(browser, url)
    assert server.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "https://app.example/",
        "https://app.example/a?b=c",
        "https://x--y.app.co.uk/a/...",
        "https://xn--pp-wia.example/a",
    ],
)
def test_an_address_that_an_app_may_have_is_allowed(url: str) -> None:
    assert document_url_problem(url) is None


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (document(client_id="https://app.example/other.json"), "about another app"),
        (document(client_id=CLIENT_ID + "?"), "about another app"),
        (document(client_id=CLIENT_ID.upper()), "about another app"),
        (document(client_id=None), "client_id"),
        (document(client_name=None), "client_name"),
        (document(client_name=" "), "client_name"),
        (document(client_name="\u3164"), "client_name"),
        (document(client_name="two\nlines"), "client_name"),
        (document(client_name="n" * 201), "client_name"),
        (document(redirect_uris=None), "redirect_uris"),
        (document(redirect_uris=[]), "redirect_uris"),
        (document(redirect_uris=["javascript:alert(1)"]), "redirect_uris.0"),
        (document(redirect_uris=["http://evil.example/"]), "redirect_uris.0"),
        (document(redirect_uris=["https://*.example/"]), "redirect_uris.0"),
        (document(grant_types=["password"]), "grant_types"),
        (document(response_types=["token"]), "response_types"),
        (document(token_endpoint_auth_method="client_secret_basic"), "token_endpoint_auth_method"),
        (document(token_endpoint_auth_method="private_key_jwt"), "token_endpoint_auth_method"),
        (document(token_endpoint_auth_method=["none"]), "token_endpoint_auth_method"),
        (document(client_secret="x"), "client_secret"),
        (document(client_secret_expires_at=0), "client_secret"),
        (b"", "JSON"),
        (b"[]", "object"),
        (b"{", "JSON"),
        (b"[" * 5000, "JSON"),
        (b'{"client_id": "\\ud800"}', "JSON"),
    ],
)
def test_a_document_that_is_wrong_is_told_what(
    server: HttpsServer, browser: Browser, content: bytes, named: str
) -> None:
    server.answer(content)

    assert named in refused(browser)
    assert not Application.objects.exists()


def test_a_document_may_leave_out_the_method_or_offer_none_among_others(server: HttpsServer, db: None) -> None:
    server.answer(document(token_endpoint_auth_method=None))
    update_client_from_document(CLIENT_ID)

    expire()
    offered = ["none", "private_key_jwt"]
    server.answer(document(token_endpoint_auth_method="private_key_jwt", token_endpoint_auth_methods_supported=offered))
    update_client_from_document(CLIENT_ID)

    assert Application.objects.get().token_endpoint_auth_method == "none"


@pytest.mark.django_db
def test_a_document_is_fetched_again_after_the_clock_went_back(server: HttpsServer) -> None:
    update_client_from_document(CLIENT_ID)
    server.answer(document(client_name="Renamed"))
    update_client_from_document(CLIENT_ID)
    assert Application.objects.get().name != "Renamed"
    Application.objects.update(cimd_expires_at=timezone.now() + timedelta(days=365))
    update_client_from_document(CLIENT_ID)
    assert Application.objects.get().name == "Renamed"


def test_urls_in_the_document_are_never_fetched(server: HttpsServer, browser: Browser) -> None:
    inside = {name: f"https://{HOST}/{name}" for name in ("logo_uri", "jwks_uri", "client_uri", "policy_uri")}
    server.answer(document(**inside))

    page = browser.client.get(APP.authorize_url()).content.decode()

    assert len(server.requests) == 1
    assert "logo_uri" not in page


@pytest.mark.parametrize(
    ("cache_control", "seconds"),
    [
        ("", 3600),
        ("max-age=600", 600),
        ("public, Max-Age = 600", 600),
        ('max-age="600"', 600),
        ("max-age=0", 300),
        ("max-age=99999999999999", 86_400),
        ("no-store", 300),
        ("no-cache, max-age=600", 300),
        ("max-age=x", 3600),
    ],
)
def test_a_document_is_kept_as_long_as_its_server_says_within_bounds(
    server: HttpsServer, db: None, cache_control: str, seconds: int
) -> None:
    server.answer(document(), cache_control=cache_control)

    update_client_from_document(CLIENT_ID)

    expires_at = Application.objects.get().cimd_expires_at
    assert abs((expires_at - timezone.now()).total_seconds() - seconds) < 30


def test_a_fresh_document_is_not_fetched_again_and_an_old_one_is(
    server: HttpsServer, db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    update_client_from_document(CLIENT_ID)
    with django_assert_num_queries(1):
        update_client_from_document(CLIENT_ID)
    assert len(server.requests) == 1

    expire()
    server.answer(document(client_name="Renamed", redirect_uris=["https://app.example/callback"]))
    update_client_from_document(CLIENT_ID)

    app = Application.objects.get()
    assert (app.name, app.redirect_uris) == ("Renamed", "https://app.example/callback")


def test_an_app_goes_on_while_its_server_is_down_but_not_for_ever(server: HttpsServer, browser: Browser) -> None:
    connection = Connection.of(browser, APP)
    expire()
    server.answer(b"", 503)
    assert browser.client.get(APP.authorize_url()).status_code == 200

    Application.objects.update(cimd_expires_at=timezone.now() - timedelta(days=8))

    assert "HTTP status 503" in refused(browser)
    assert connection.registration.refresh(connection.refresh_token).status_code == 200


@pytest.mark.parametrize(("status", "content"), [(404, b"{}"), (200, b"{}"), (302, b"")])
def test_an_app_whose_document_is_gone_keeps_what_it_has_and_gets_nothing_new(
    server: HttpsServer, browser: Browser, status: int, content: bytes
) -> None:
    connection = Connection.of(browser, APP)
    expire()
    server.answer(content, status)

    refused(browser)

    assert authenticate(call(connection.access_token)).client_name == "Example"
    assert connection.registration.refresh(connection.refresh_token).status_code == 200


def test_an_app_that_the_owner_entered_under_a_url_is_taken_as_entered(server: HttpsServer, browser: Browser) -> None:
    Application.objects.create(
        client_id=CLIENT_ID,
        name="By hand",
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris=REDIRECT_URI,
    )

    assert "By hand" in browser.client.get(APP.authorize_url()).content.decode()
    assert server.requests == []


def test_a_server_inside_is_not_asked(server: HttpsServer, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = NetworkPolicy(look_up=server.network.look_up, port=server.network.port, tls=server.network.tls)
    monkeypatch.setattr(client_documents, "network_policy", inside)

    assert "not a server on the public internet" in refused(browser)
    assert server.requests == []


def test_a_flood_of_apps_is_fetched_slowly(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []

    def fetch(url: str, network: NetworkPolicy) -> FetchedDocument:
        fetched.append(url)
        raise FetchError("There is no such server.")

    monkeypatch.setattr(client_documents, "fetch_json", fetch)
    for number in range(FETCHES_PER_MINUTE + 5):
        with pytest.raises(client_documents.ClientDocumentError) as refusal:
            update_client_from_document(f"https://app.example/{number}")

    assert len(fetched) == FETCHES_PER_MINUTE
    assert "Too many" in refusal.value.description


@pytest.mark.django_db(transaction=True)
def test_processes_that_meet_an_app_at_once_make_one_row_of_it(server: HttpsServer) -> None:
    racers = 4
    together = Barrier(racers)
    answer_at_once = server.respond

    def wait(request: BaseHTTPRequestHandler) -> None:
        together.wait(timeout=30)
        answer_at_once(request)

    server.respond = wait
    _at_once(racers, lambda: update_client_from_document(CLIENT_ID))

    assert len(server.requests) == racers
    assert Application.objects.get().name == "Example"


def _at_once(count: int, act: Callable[[], None]) -> None:
    def run(_: int) -> None:
        try:
            act()
        finally:
            database.close()

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(run, range(count), timeout=60))
