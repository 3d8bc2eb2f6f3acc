"""The socket that OwnSona serves on."""

from __future__ import annotations

import socket
import threading

import pytest

from ownsona_site.listening import CannotListen, answers, listen


def port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def test_a_port_is_taken_until_its_socket_is_closed() -> None:
    with listen("127.0.0.1", 0) as first:
        port = port_of(first)
        with pytest.raises(CannotListen, match=f"Port {port} is taken by another program: .*PORT={port + 1}"):
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
        assert not answers(listener)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_any_http_answer_counts(host: str) -> None:
    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")

    with listen(host, 0) as listener:
        server = threading.Thread(target=serve, args=[listener])
        server.start()
        assert answers(listener)
        server.join(10)
