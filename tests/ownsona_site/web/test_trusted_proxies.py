"""Tests of the headers of trusted proxies, and that headers of all other clients change nothing."""

from __future__ import annotations

import http.client
from ipaddress import ip_network
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from oauthserver.models import Application
from ownsona_site.web.trusted_proxies import apply_proxy_headers
from tests.support.factories import HOST
from tests.support.live_server import live_server
from tests.support.oauth.flow import REDIRECT_URI

STRANGER = "198.51.100.7"
PROXY = "10.0.0.2"
SPOOFED = {
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "evil.example",
    "x-forwarded-port": "443",
    "x-real-ip": "203.0.113.9",
    "forwarded": "for=203.0.113.9;proto=https;host=evil.example",
}


@pytest.fixture(autouse=True)
def trusted(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = (ip_network("10.0.0.0/24"), ip_network("::1"))


def resolved(peer: str, **headers: str) -> HttpRequest:
    """Return a request from `peer` as the views see it."""
    request = RequestFactory().get("/", headers={"host": HOST, **headers}, REMOTE_ADDR=peer)
    apply_proxy_headers(lambda _: HttpResponse())(request)
    return request


@pytest.mark.parametrize(
    ("peer", "hops", "address"),
    [
        (PROXY, "203.0.113.9", "203.0.113.9"),
        (PROXY, "2001:db8::9", "2001:db8::9"),
        (PROXY, "1.2.3.4, 203.0.113.9", "203.0.113.9"),
        (PROXY, "1.2.3.4, 203.0.113.9,10.0.0.9", "203.0.113.9"),
        (PROXY, "10.0.0.8, 10.0.0.9", "10.0.0.8"),
        (PROXY, "203.0.113.9:51234", "203.0.113.9"),
        (PROXY, "[2001:db8::9]:51234", "2001:db8::9"),
        (PROXY, "::ffff:203.0.113.9", "203.0.113.9"),
        (PROXY, "fe80::1%eth0", "fe80::1"),
        ("::1", "203.0.113.9", "203.0.113.9"),
        ("::ffff:10.0.0.2", "203.0.113.9", "203.0.113.9"),
        (PROXY, "", PROXY),
    ],
)
def test_a_trusted_proxy_names_the_client(peer: str, hops: str, address: str) -> None:
    assert resolved(peer, **{"x-forwarded-for": hops}).META["REMOTE_ADDR"] == address


@pytest.mark.parametrize(
    "hops",
    ["unknown", "_hidden", "1.2.3.4.5", "\x00", "'; DROP TABLE", "[", ":", "9" * 8000, ",,,", "1.2.3.4,"],
)
def test_what_is_no_address_leaves_the_proxy_as_the_client(hops: str) -> None:
    assert resolved(PROXY, **{"x-forwarded-for": hops}).META["REMOTE_ADDR"] == PROXY


def test_an_unreadable_hop_hides_what_stands_before_it() -> None:
    assert resolved(PROXY, **{"x-forwarded-for": "203.0.113.9, junk, 10.0.0.9"}).META["REMOTE_ADDR"] == "10.0.0.9"


@pytest.mark.parametrize(
    ("peer", "scheme", "is_secure"),
    [(PROXY, "https", True), (PROXY, "http", False), (PROXY, "junk\x00", False), (STRANGER, "https", False)],
)
def test_only_a_trusted_proxy_says_that_the_request_came_by_tls(peer: str, scheme: str, is_secure: bool) -> None:
    assert resolved(peer, **{"x-forwarded-proto": scheme}).is_secure() is is_secure


@pytest.mark.parametrize("peer", [STRANGER, "127.0.0.1", ""])
def test_a_strangers_headers_are_not_even_there(peer: str) -> None:
    request = resolved(peer, **SPOOFED)
    assert request.META["REMOTE_ADDR"] == peer
    assert not any("FORWARDED" in name or name == "HTTP_X_REAL_IP" for name in request.META)
    assert (request.scheme, request.get_host()) == ("http", HOST)


def test_a_trusted_proxy_names_neither_host_nor_port() -> None:
    request = resolved(PROXY, **SPOOFED)
    assert (request.get_host(), request.get_port()) == (HOST, "80")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    ["/", "/login/", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp", "/mcp"],
)
def test_a_strangers_headers_change_no_answer(path: str) -> None:
    def answer(headers: dict[str, str]) -> tuple[Any, ...]:
        response = Client(headers={"host": HOST}).get(path, headers=headers, REMOTE_ADDR=STRANGER)
        cookies = [(cookie.key, cookie["secure"], cookie["domain"]) for cookie in response.cookies.values()]
        # The form's token differs at each visit.
        content = b"" if path == "/login/" else response.content
        return response.status_code, dict(response.headers), cookies, content

    assert answer(SPOOFED) == answer({})


@pytest.mark.django_db
@pytest.mark.parametrize(("peer", "address"), [(STRANGER, STRANGER), (PROXY, "203.0.113.9")])
def test_a_registration_is_counted_for_the_address_that_is_believed(peer: str, address: str) -> None:
    body = {"redirect_uris": [REDIRECT_URI]}
    client = Client(headers={"host": HOST, **SPOOFED})
    assert client.post("/oauth/register", body, content_type="application/json", REMOTE_ADDR=peer).status_code == 201
    assert Application.objects.get().registered_from == address


def test_the_web_server_believes_nobody_by_itself() -> None:
    with live_server() as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        # Headers that gunicorn would refuse as contradictory if it evaluated them.
        connection.putrequest("GET", "/health")
        for name, value in (("X-Forwarded-Proto", "https"), ("X-Forwarded-Ssl", "off"), ("SCRIPT_NAME", "/elsewhere")):
            connection.putheader(name, value)
        connection.endheaders()
        assert connection.getresponse().status == 200
        connection.close()
