"""Tests of accepting connections: without free file descriptors, and in even shares."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack

from tests.support.processes import child, eventually

# A table for more connections than the process can open, as when its other parts open files too.
FEW_FILES = """
import asyncio, os, resource, socket, sys
from ownsona_site.web.tcp.acceptor import Acceptor
from ownsona_site.web.tcp.even_shares import EvenShares
from ownsona_site.web.tcp.limits import Limits
from ownsona_site.web.tcp.table import ConnectionTable, State

class Echo(asyncio.Protocol):
    transport = None
    must_go = False
    def connection_made(self, transport):
        self.transport = transport
        if self.must_go:
            transport.abort()
    def data_received(self, data):
        table.move(self, State.IDLE)
        self.transport.write(data)
    def connection_lost(self, error):
        table.remove(self)
    def close_now(self):
        self.must_go = True
        if self.transport:
            self.transport.abort()

async def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    acceptor = Acceptor(listener, table, EvenShares(1), Echo)
    acceptor.start()
    print("port", listener.getsockname()[1], "ready", flush=True)
    while True:
        acceptor.tidy()
        await asyncio.sleep(0.05)

listener = socket.create_server(("127.0.0.1", 0))
table = ConnectionTable(Limits(connections=1000, per_address=1000, bodies=1000))
asyncio.run(main())
"""

# A process beside another one that has no connection, and takes none.
BESIDE_ANOTHER = """
import asyncio, os, socket, time
from ownsona_site.web.tcp import acceptor
from ownsona_site.web.tcp.even_shares import EvenShares
from ownsona_site.web.tcp.limits import Limits
from ownsona_site.web.tcp.table import ConnectionTable

acceptor.YIELD_SECONDS = 0.5

class Greeting(asyncio.Protocol):
    def connection_made(self, transport):
        transport.write(b"hello")

async def main():
    shares.join()
    accepting = acceptor.Acceptor(listener, table, shares, Greeting)
    accepting.start()
    print("port", listener.getsockname()[1], "ready", flush=True)
    while True:
        accepting.tidy()
        await asyncio.sleep(0.05)

shares = EvenShares(2)
parent = os.getpid()
reads, writes = os.pipe()
if not os.fork():
    shares.join()
    os.write(writes, b"1")
    while os.getppid() == parent:
        time.sleep(0.05)
    os._exit(0)
os.read(reads, 1)
listener = socket.create_server(("127.0.0.1", 0))
table = ConnectionTable(Limits(connections=1000, per_address=1000, bodies=1000))
asyncio.run(main())
"""


def test_a_process_leaves_a_connection_to_one_with_fewer_but_not_for_ever() -> None:
    with ExitStack() as stack:
        environment = {"DJANGO_SETTINGS_MODULE": "tests.settings"}
        server = stack.enter_context(child("-c", BESIDE_ANOTHER, environment=environment))
        server.wait_for("ready")
        address = ("127.0.0.1", int(server.output.split()[1]))
        for _ in range(2):
            started = time.monotonic()
            client = stack.enter_context(socket.create_connection(address, timeout=60))
            assert client.recv(5) == b"hello"

    # The clock of the event loop counts milliseconds, so it may end half a second a little early.
    assert time.monotonic() - started >= 0.49


def test_without_descriptors_those_that_wait_go_those_that_were_served_stay_and_the_log_has_one_line() -> None:
    with ExitStack() as stack:
        server = stack.enter_context(child("-c", FEW_FILES, environment={"DJANGO_SETTINGS_MODULE": "tests.settings"}))
        server.wait_for("ready")
        address = ("127.0.0.1", int(server.output.split()[1]))

        def connect() -> socket.socket:
            return stack.enter_context(socket.create_connection(address, timeout=60))

        def echoes(client: socket.socket) -> bool:
            client.sendall(b"hello")
            return client.recv(5) == b"hello"

        served = connect()
        assert echoes(served)
        for _ in range(200):
            connect()
        assert echoes(served)
        assert eventually(lambda: echoes(connect()))
        assert echoes(served)
        server.process.terminate()
        server.end()
    _port, *lines = server.output.splitlines()
    assert len(lines) == 1, lines
    assert "not accepted (Too many open files)" in lines[0]
