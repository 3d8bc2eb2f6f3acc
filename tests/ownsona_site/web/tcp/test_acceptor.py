"""Tests of accepting connections in a process without free file descriptors."""

from __future__ import annotations

import socket
from contextlib import ExitStack

from tests.support.processes import child, eventually

# A table for more connections than the process can open, as when its other parts open files too.
FEW_FILES = """
import asyncio, os, resource, socket, sys
from ownsona_site.web.tcp.acceptor import Acceptor
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
    acceptor = Acceptor(listener, table, Echo)
    acceptor.start()
    print("port", listener.getsockname()[1], "ready", flush=True)
    while True:
        acceptor.tidy()
        await asyncio.sleep(0.05)

listener = socket.create_server(("127.0.0.1", 0))
table = ConnectionTable(Limits(connections=1000, per_address=1000, bodies=1000))
asyncio.run(main())
"""


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
