"""Tests of the socket that OwnSona listens on."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ownsona_site.startup.listening_socket import CannotListen, is_answering, listen


def port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


@contextmanager
def answering(listener: socket.socket, body: bytes) -> Iterator[None]:
    """Respond to one request with `body`, in a thread."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    server = threading.Thread(target=serve)
    server.start()
    yield
    server.join(10)
    assert not server.is_alive()


def test_a_port_is_taken_until_its_socket_is_closed() -> None:
    with listen("127.0.0.1", 0) as first:
        port = port_of(first)
        with pytest.raises(CannotListen, match=f"Port {port} is used by another program, .*PORT={port + 1}"):
            listen("127.0.0.1", port)
    listen("127.0.0.1", port).close()


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1"])
def test_an_address_of_another_machine_is_one_line_that_names_the_setting(host: str) -> None:
    with pytest.raises(CannotListen) as raised:
        listen(host, 0)
    assert f"HOST={host}" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_socket_that_nobody_serves_does_not_answer() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert not is_answering(listener)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_any_http_answer_counts(host: str) -> None:
    with listen(host, 0) as listener, answering(listener, b""):
        assert is_answering(listener)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            b'{"status": "ok", "version": "0.1.0"}',
            r"OwnSona is already running at http://127\.0\.0\.1:\d+. Stop it first",
        ),
        (b'{"status": "ok"}', "is used by another program"),
        (b'["status", "version"]', "is used by another program"),
        (b"\xff", "is used by another program"),
        (b"", "is used by another program"),
    ],
)
def test_whoever_has_the_port_is_asked_whether_it_is_ownsona(body: bytes, reason: str) -> None:
    with listen("127.0.0.1", 0) as listener, answering(listener, body), pytest.raises(CannotListen, match=reason):
        listen("127.0.0.1", port_of(listener))
