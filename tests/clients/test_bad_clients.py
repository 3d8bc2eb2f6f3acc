"""Clients that lie, vanish or stop reading: each gets a clear error or a clean end, and leaves nothing behind."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from mcpapi.state.sessions import MAX_SUBSCRIPTIONS
from tests.clients.test_raw_http import TOKEN_SCRIPT
from tests.clients.test_streams import connections_of, web_processes
from tests.support.live_server import LiveServer, live_server
from tests.support.mcp.handshake_client import INITIALIZE
from tests.support.mcp.stateless_client import META, VERSION
from tests.support.processes import eventually

LIMIT_SECONDS = 60
ROUNDS = 15
NEW_THREADS = 8
"""The maximum number of permanent threads that a process may start in later rounds than the first."""

MEMORY_BYTES = 40_000_000
DATABASE_CONNECTIONS = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    print(cursor.fetchone()[0])
"""


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with live_server(MCP_RATE_LIMIT_PER_MINUTE="0") as running:
        yield running


class BadClient:
    """A client that misbehaves in every way in each round."""

    def __init__(self, server: LiveServer) -> None:
        self._server = server
        self._headers = {
            "Host": f"127.0.0.1:{server.port}",
            "Authorization": f"Bearer {server.run(TOKEN_SCRIPT).strip()}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }

    def ask(self, method: str, params: dict[str, Any], **headers: str) -> httpx.Response:
        """Return the response to a request, read to its end."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return httpx.post(
            f"{self._server.url}/mcp", json=message, headers={**self._headers, **headers}, timeout=LIMIT_SECONDS
        )

    def lie(self) -> None:
        """Name things that do not exist. Each response must be an error that names the problem."""
        modern = {"MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/call", "Mcp-Name": "ping"}
        call = {"name": "ping", "arguments": {}, "_meta": META}
        uris = [f"ownsona://memory/{number}" for number in range(1, MAX_SUBSCRIPTIONS + 2)]
        listening = {"MCP-Protocol-Version": VERSION, "Mcp-Method": "subscriptions/listen"}
        told = {"notifications": {"resourceSubscriptions": uris}, "_meta": META}
        answers = [
            self.ask("tools/list", {}, **{"Mcp-Session-Id": "made up"}),
            self.ask("resources/list", {"cursor": "made up"}),
            self.ask("tools/call", {**call, "requestState": "made up"}, **modern),
            self.ask("tools/call", call, **{**modern, "Mcp-Name": "recall"}),
            self.ask("subscriptions/listen", told, **listening),
        ]
        reasons = [answer.json()["error"]["data"]["reason"] for answer in answers]
        assert reasons == [
            "session_not_found",
            "invalid_params",
            "invalid_params",
            "header_mismatch",
            "invalid_params",
        ]

    def vanish(self) -> None:
        """Disconnect in the middle of a request, before its response, and from streams without reading them."""
        whole = self._request("POST", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE})
        self._send_and_leave(whole[: len(whole) // 2])
        self._send_and_leave(whole[:-10])
        self._send_and_leave(whole)
        stream = self._request("GET", None)
        for _ in range(5):
            self._send_and_leave(stream, waits_for=b"200 OK")

    def _send_and_leave(self, content: bytes, waits_for: bytes = b"") -> None:
        with socket.create_connection(("127.0.0.1", self._server.port), LIMIT_SECONDS) as connection:
            connection.sendall(content)
            assert waits_for in (connection.recv(len(b"HTTP/1.1 200 OK")) if waits_for else b"")

    def _request(self, method: str, message: object) -> bytes:
        body = b"" if message is None else json.dumps(message).encode()
        headers = {**self._headers, "Content-Length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"{method} /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


def test_bad_clients_leave_no_thread_connection_or_memory_behind(server: LiveServer) -> None:
    # The server responds as soon as the first of them has started.
    assert eventually(lambda: len(web_processes(server)) == 2)
    processes = web_processes(server)
    client = BadClient(server)

    def all_left() -> bool:
        return sum(map(connections_of, processes)) == 0

    for _ in range(2):
        client.lie()
        client.vanish()
    assert eventually(all_left)
    threads = sum(process.num_threads() for process in processes)
    memory = sum(process.memory_info().rss for process in processes)
    databases = int(server.run(DATABASE_CONNECTIONS))
    for _ in range(ROUNDS):
        client.lie()
        client.vanish()
    assert eventually(all_left)
    assert sum(process.num_threads() for process in processes) <= threads + NEW_THREADS
    assert sum(process.memory_info().rss for process in processes) < memory + MEMORY_BYTES
    assert int(server.run(DATABASE_CONNECTIONS)) <= databases + NEW_THREADS
    assert client.ask("ping", {}).json()["result"] == {}
    assert "Traceback" not in "".join(server.output)
