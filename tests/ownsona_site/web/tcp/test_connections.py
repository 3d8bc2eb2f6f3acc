"""Tests of a real server with connections that only take up capacity."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ownsona_site.web.tcp.table import HEADER_SECONDS
from tests.support.first_database import copy_first_database
from tests.support.live_server import LiveServer, free_port, live_server
from tests.support.processes import Child, child, eventually, temporary_data_directory

PLACES = 32
FOR_ONE_ADDRESS = 16
BODIES = PLACES // 16
LIMIT_SECONDS = 60.0
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF_A_HEADER = b"GET /health HTTP/1.1\r\nHost: local"
HALF_A_BODY = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"
MAKE_TOKEN = """
from oauthserver.models import User
from tests.support.factories import make_access_token
print(make_access_token(User.objects.get()))
"""
several_addresses = pytest.mark.skipif(sys.platform == "darwin", reason="loopback has one address there")


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    settings = {
        "WEB_CONCURRENCY": "1",
        "WEB_CONNECTIONS": str(PLACES),
        "WEB_CONNECTIONS_PER_ADDRESS": str(FOR_ONE_ADDRESS),
    }
    with live_server(None, **settings) as running:
        yield running


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """A stack that closes the connections of a test."""
    with ExitStack() as stack:
        yield stack


def connect(opened: ExitStack, port: int, host: str = "127.0.0.1") -> socket.socket:
    return opened.enter_context(socket.create_connection(("127.0.0.1", port), LIMIT_SECONDS, (host, 0)))


def status(client: socket.socket, request: bytes = b"") -> int | None:
    """Send `request` and return the status of the response, or None if the connection is closed without one."""
    try:
        client.sendall(request)
        answer = client.recv(65_536)
        while answer and b"\r\n\r\n" not in answer:
            answer += client.recv(65_536)
    except ConnectionError:
        return None
    return int(answer.split()[1]) if answer else None


def is_open(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return bool(client.recv(65_536))
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    finally:
        client.settimeout(LIMIT_SECONDS)


def test_a_header_has_ten_seconds_and_a_connection_between_two_requests_has_longer(
    server: LiveServer, opened: ExitStack
) -> None:
    silent, slow, kept, slow_later = (connect(opened, server.port) for _ in range(4))
    assert status(kept, HEALTH) == status(slow_later, HEALTH) == 200
    slow.sendall(HALF_A_HEADER)
    slow_later.sendall(HALF_A_HEADER)
    began = time.monotonic()
    while time.monotonic() < began + HEADER_SECONDS / 2:
        # Sending byte by byte does not extend the deadline.
        slow.sendall(b"x")
        slow_later.sendall(b"x")
        time.sleep(0.5)
    assert all(map(is_open, (silent, slow, kept, slow_later)))
    assert [status(client) for client in (slow, slow_later, silent)] == [408, 408, None]
    assert time.monotonic() - began > HEADER_SECONDS / 2
    assert status(kept, HEALTH) == 200


@pytest.mark.parametrize("beginning", [b"", HALF_A_HEADER, HALF_A_BODY], ids=["idle", "half a header", "half a body"])
def test_connections_that_only_take_up_room_make_room(server: LiveServer, opened: ExitStack, beginning: bytes) -> None:
    served = connect(opened, server.port)
    assert status(served, HEALTH) == 200
    crowd = []
    for _ in range(5 * PLACES):
        crowd.append(connect(opened, server.port))
        crowd[-1].sendall(beginning)
    assert status(connect(opened, server.port), HEALTH) == 200
    assert status(served, HEALTH) == 200
    most = BODIES if beginning is HALF_A_BODY else FOR_ONE_ADDRESS
    assert eventually(lambda: sum(map(is_open, crowd)) <= most)


@several_addresses
def test_who_is_being_answered_keeps_the_place_and_newcomers_are_refused(server: LiveServer, opened: ExitStack) -> None:
    token = server.run(MAKE_TOKEN).strip()
    listen = (
        f"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nAccept: text/event-stream\r\n\r\n"
    ).encode()

    def streams_from(host: str) -> list[socket.socket]:
        streams = []
        for _ in range(FOR_ONE_ADDRESS):
            streams.append(connect(opened, server.port, host))
            assert status(streams[-1], listen) == 200
        return streams

    streams = streams_from("127.0.0.2")
    assert status(connect(opened, server.port, "127.0.0.2"), HEALTH) in {503, None}
    assert status(connect(opened, server.port, "127.0.0.3"), HEALTH) == 200
    streams += streams_from("127.0.0.4")
    assert status(connect(opened, server.port, "127.0.0.3"), HEALTH) in {503, None}
    assert all(map(is_open, streams))
    streams[0].close()
    assert eventually(lambda: status(connect(opened, server.port, "127.0.0.3"), HEALTH) == 200)


@several_addresses
def test_many_addresses_do_not_lock_out_one_more(server: LiveServer, opened: ExitStack) -> None:
    # The streams of another test may still have their places, and a connection that was refused stays closed.
    assert eventually(lambda: status(connect(opened, server.port), HEALTH) == 200)
    served = connect(opened, server.port)
    # On a busy machine the database may answer late, which /health reports with 503 for a moment.
    assert eventually(lambda: status(served, HEALTH) == 200)
    for number in range(4 * PLACES):
        connect(opened, server.port, f"127.0.1.{1 + number}")
    assert status(connect(opened, server.port, "127.0.0.9"), HEALTH) == 200
    assert eventually(lambda: status(served, HEALTH) == 200)


def test_a_length_that_python_cannot_read_is_a_bad_request(server: LiveServer, opened: ExitStack) -> None:
    request = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {'9' * 5000}\r\n\r\n"
    assert status(connect(opened, server.port), request.encode()) == 400


def test_all_of_that_leaves_next_to_nothing_in_the_log(server: LiveServer) -> None:
    said = "".join(server.output)
    assert "Traceback" not in said
    # Each process logs one line a minute, and these tests take a few minutes.
    assert said.count("Connections: ") <= 20


LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, int(sys.argv[1])))
os.execv(sys.executable, [sys.executable, "manage.py", "serve"])
"""


def limited_server(opened: ExitStack, port: int, hard_limit: int) -> Child:
    folder = opened.enter_context(temporary_data_directory())
    copy_first_database(folder)
    environment = {
        "OWNSONA_DATA_DIR": str(folder),
        "PORT": str(port),
        "WEB_CONCURRENCY": "1",
        "DJANGO_SETTINGS_MODULE": "ownsona_site.settings",
        "EMBEDDING_PROVIDER": "fake",
    }
    return opened.enter_context(child("-c", LIMITED, str(hard_limit), environment=environment))


def test_under_a_low_limit_of_open_files_the_server_goes_on(opened: ExitStack) -> None:
    port = free_port()
    server = limited_server(opened, port, hard_limit=400)
    server.wait_for("Stop with Ctrl-C.")
    served = connect(opened, port)
    assert status(served, HEALTH) == 200
    for _ in range(600):
        connect(opened, port)
    assert status(served, HEALTH) == 200
    assert status(connect(opened, port), HEALTH) == 200
    server.process.terminate()
    assert server.end() == 0
    assert "Traceback" not in server.output
    assert "Too many open files" not in server.output
