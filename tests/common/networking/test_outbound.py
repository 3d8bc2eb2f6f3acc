"""Tests of fetching URLs that come from untrusted clients, and of the addresses that must stay unreachable."""

from __future__ import annotations

import errno
import os
import socket
import ssl
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from threading import Event

import pytest

from common.networking import outbound
from common.networking.outbound import (
    MAX_BYTES,
    AddressNotAllowed,
    FetchError,
    NetworkPolicy,
    ResponseTooLarge,
    fetch_json,
    request,
)
from tests.support.oauth.https_server import HOST, HttpsServer, https_server

URL = f"https://{HOST}/client.json"


@pytest.fixture(scope="module")
def running() -> Iterator[HttpsServer]:
    with https_server() as server:
        yield server


@pytest.fixture
def server(running: HttpsServer, monkeypatch: pytest.MonkeyPatch) -> HttpsServer:
    """The server in its initial state, with a short deadline, so that the tests of slow responses are fast."""
    running.answer(b"{}")
    running.requests.clear()
    monkeypatch.setattr(outbound, "DEADLINE_SECONDS", 1.0)
    return running


def refusal(url: str, network: NetworkPolicy) -> FetchError:
    """Return the error of fetching `url`."""
    with pytest.raises(FetchError) as error:
        fetch_json(url, network)
    assert str(error.value).endswith(".")
    return error.value


def test_a_document_comes_with_its_headers(server: HttpsServer) -> None:
    server.answer(b'{"a": 1}', cache_control="max-age=60")

    answer = fetch_json(f"{URL}?v=1", server.network)

    assert answer.content == b'{"a": 1}'
    assert answer.headers["cache-control"] == "max-age=60"


def test_the_request_says_nothing_about_anyone(server: HttpsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    fetch_json(f"{URL}?v=1", server.network)

    ((line, headers),) = server.requests
    assert line == "GET /client.json?v=1 HTTP/1.1"
    assert headers == {
        "host": HOST,
        "accept": "application/json",
        "accept-encoding": "identity",
        "user-agent": "OwnSona",
    }


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON", "application/x+json"])
def test_any_kind_of_json_will_do(server: HttpsServer, content_type: str) -> None:
    server.answer(b"{}", content_type=content_type)

    assert fetch_json(URL, server.network).content == b"{}"


@pytest.mark.parametrize("content_type", ["text/html", "text/json", "", "application/jsonp", "x/application/json"])
def test_anything_else_is_refused(server: HttpsServer, content_type: str) -> None:
    server.answer(b"{}", content_type=content_type)

    assert "content type" in str(refusal(URL, server.network))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: HttpsServer, status: int) -> None:
    server.answer(b"{}", status, location=f"https://{HOST}/elsewhere")

    error = refusal(URL, server.network)

    assert (str(error), error.is_transient) == (f"The server responded with HTTP status {status}, not 200.", False)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "is_transient"), [(404, False), (410, False), (429, True), (500, True), (503, True)]
)
def test_an_error_says_whether_it_may_pass(server: HttpsServer, status: int, is_transient: bool) -> None:
    server.answer(b"{}", status)

    assert refusal(URL, server.network).is_transient is is_transient


def test_a_document_of_the_largest_size_is_taken_and_a_larger_one_is_not(server: HttpsServer) -> None:
    server.answer(b" " * MAX_BYTES)
    assert len(fetch_json(URL, server.network).content) == MAX_BYTES

    server.answer(b" " * (MAX_BYTES + 1))
    assert str(MAX_BYTES) in str(refusal(URL, server.network))


def test_an_endless_document_is_left_at_once(server: HttpsServer) -> None:
    def flood(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.end_headers()
        try:
            while True:
                request.wfile.write(b" " * 65_536)
        except OSError:
            return

    server.respond = flood

    assert str(MAX_BYTES) in str(refusal(URL, server.network))


@pytest.mark.parametrize("dripping", ["head", "body"])
def test_a_byte_now_and_then_buys_no_time(server: HttpsServer, dripping: str) -> None:
    is_over = Event()

    def drip(request: BaseHTTPRequestHandler) -> None:
        if dripping == "body":
            request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        while not is_over.wait(0.05):
            try:
                request.wfile.write(b"x")
            except OSError:
                return

    server.respond = drip
    started = time.monotonic()

    error = refusal(URL, server.network)
    is_over.set()

    assert (str(error), error.is_transient) == (f"{HOST} did not respond in time.", True)
    assert time.monotonic() - started < 3


def test_a_server_that_accepts_and_says_nothing_is_given_up(server: HttpsServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        network = replace(server.network, port=mute.getsockname()[1])
        assert "did not respond" in str(refusal(URL, network))


def test_a_name_server_that_takes_its_time_is_given_up(server: HttpsServer) -> None:
    is_over = Event()

    def dawdle(host: str) -> list[str]:
        is_over.wait(30)
        return ["127.0.0.1"]

    started = time.monotonic()
    error = refusal(URL, replace(server.network, look_up=dawdle))
    is_over.set()

    assert "did not respond" in str(error)
    assert time.monotonic() - started < 3


def test_an_unknown_name_is_said_to_be_unknown(server: HttpsServer) -> None:
    def nobody(host: str) -> list[str]:
        raise socket.gaierror("Name or service not known")

    error = refusal(URL, replace(server.network, look_up=nobody))

    assert (str(error), error.is_transient) == (f"There is no server named {HOST}.", True)


def test_a_certificate_for_another_name_is_refused(server: HttpsServer) -> None:
    assert "certificate" in str(refusal("https://other.example/client.json", server.network)).lower()


def test_a_certificate_that_nobody_vouches_for_is_refused(server: HttpsServer) -> None:
    assert "certificate" in str(refusal(URL, replace(server.network, tls=NetworkPolicy().tls))).lower()
    assert server.requests == []


@pytest.mark.parametrize(
    "found",
    [
        ["127.0.0.1"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["::1"],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["fe80::1%eth0"],
        ["93.184.215.14", "127.0.0.1"],
        ["127.0.0.1", "93.184.215.14"],
        [],
    ],
)
def test_a_name_that_leads_inside_is_refused_before_anything_is_sent(server: HttpsServer, found: list[str]) -> None:
    network = NetworkPolicy(look_up=lambda host: found, port=server.network.port, tls=server.network.tls)

    error = refusal(URL, network)

    assert (str(error), error.is_transient) == (f"{HOST} is not a server on the public internet.", False)
    assert server.requests == []


@pytest.mark.parametrize("host", ["localhost", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0", "[::1]"])
def test_no_way_to_write_loopback_gets_there(server: HttpsServer, host: str) -> None:
    network = NetworkPolicy(port=server.network.port, tls=server.network.tls)

    assert "not a server on the public internet" in str(refusal(f"https://{host}/client.json", network))
    assert server.requests == []


def test_a_name_is_resolved_once(server: HttpsServer) -> None:
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])

    fetch_json(URL, replace(server.network, look_up=lambda host: next(answers)))

    assert next(answers) == ["10.0.0.1"]


def test_where_one_address_of_several_is_dead_the_next_one_is_tried(server: HttpsServer) -> None:
    network = replace(server.network, look_up=lambda host: ["255.255.255.255", "127.0.0.1"])

    assert fetch_json(URL, network).content == b"{}"


def test_a_connection_that_breaks_off_is_an_error_that_may_pass(server: HttpsServer) -> None:
    def break_off(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{}")

    server.respond = break_off

    assert refusal(URL, server.network).is_transient


def test_a_refused_connection_is_reported_in_a_sentence_that_pages_translate(server: HttpsServer) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        error = refusal(URL, replace(server.network, port=unused.getsockname()[1]))
    assert str(error) == f"{HOST} refused the connection."


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ECONNRESET, f"{HOST} closed the connection."),
        (errno.ENETUNREACH, f"There is no route to {HOST}."),
        (errno.EMFILE, f"{HOST} is not reachable: Too many open files."),
    ],
)
def test_usual_errors_of_the_network_are_told_in_sentences(
    server: HttpsServer, monkeypatch: pytest.MonkeyPatch, number: int, sentence: str
) -> None:
    def fail(*_: object, **__: object) -> socket.socket:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(socket, "create_connection", fail)
    assert str(refusal(URL, server.network)) == sentence


def test_a_certificate_that_is_not_trusted_is_named(server: HttpsServer) -> None:
    error = refusal(URL, replace(server.network, tls=ssl.create_default_context()))
    assert str(error).startswith(f"The certificate of {HOST} is not trusted: ")


@pytest.mark.parametrize("status", [304, 302, 404, 500])
def test_a_request_returns_any_status_with_the_beginning_of_its_content(server: HttpsServer, status: int) -> None:
    server.answer(b"" if status == 304 else b"x" * 100, status, location="/elsewhere")
    deadline = time.monotonic() + 5

    without = request(URL, server.network, deadline, 10)
    response = request(URL, server.network, deadline, 10, max_error_bytes=20)

    assert (without.status, without.content) == (status, b"")
    assert (response.status, response.headers["location"]) == (status, "/elsewhere")
    assert response.content == (b"" if status == 304 else b"x" * 20)


def test_a_request_sends_the_headers_of_its_caller(server: HttpsServer) -> None:
    request(URL, server.network, time.monotonic() + 5, 10, headers=[("If-None-Match", '"v1"')])

    ((_, headers),) = server.requests
    assert headers == {"host": HOST, "if-none-match": '"v1"'}


def test_a_caller_can_tell_a_forbidden_address_and_a_large_response_from_other_failures(server: HttpsServer) -> None:
    deadline = time.monotonic() + 5
    server.answer(b"x" * 11)

    with pytest.raises(ResponseTooLarge):
        request(URL, server.network, deadline, 10)
    with pytest.raises(AddressNotAllowed):
        request(URL, NetworkPolicy(look_up=lambda host: ["10.0.0.1"]), deadline, 10)
