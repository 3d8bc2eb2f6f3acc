"""Requests of curl and of sloppy clients, over a real socket to the real server."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.live_server import LiveServer
from tests.support.mcp.stateless_client import META, VERSION

PING: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "ping", "arguments": {"message": "hi"}},
}
# Longer than Node.js (4 s) and httpx (5 s) keep an idle connection for reuse.
IDLE_SECONDS = 6.0
TOKEN_SCRIPT = """
from oauthserver.models import User
from tests.support.factories import make_access_token
print(make_access_token(User.objects.get()))
"""


@pytest.fixture(scope="module")
def api(server: LiveServer) -> Iterator[httpx.Client]:
    """An HTTP client with a token, whose connection is kept alive between tests."""
    token = server.run(TOKEN_SCRIPT).strip()
    with httpx.Client(base_url=server.url, headers={"authorization": f"Bearer {token}"}, timeout=60) as client:
        yield client


def message_of(response: httpx.Response) -> object:
    assert response.status_code == 200, response.text
    return response.json()["result"]["structuredContent"]["message"]


def test_a_plain_post_without_a_session_is_answered(api: httpx.Client) -> None:
    assert message_of(api.post("/mcp", json=PING)) == "hi"


def test_a_body_in_chunks_is_read_whole(api: httpx.Client) -> None:
    body = json.dumps(PING).encode()
    pieces = (body[start : start + 10] for start in range(0, len(body), 10))
    response = api.post("/mcp", content=pieces, headers={"content-type": "application/json"})
    assert message_of(response) == "hi"


def test_the_names_of_headers_are_read_in_any_case(api: httpx.Client) -> None:
    call = {**PING, "params": {**PING["params"], "_meta": META}}
    names = {"mcp-PROTOCOL-version": VERSION, "mCP-mETHOD": "tools/call", "MCP-NAME": "ping"}
    assert message_of(api.post("/mcp", json=call, headers=names)) == "hi"
    lying = {**names, "MCP-NAME": "recall"}
    assert api.post("/mcp", json=call, headers=lying).json()["error"]["code"] == -32020


def test_the_rest_face_reads_a_body_in_chunks_too(api: httpx.Client) -> None:
    pieces = iter([b'{"mess', b'age": "hi"}'])
    response = api.post("/tools/ping", content=pieces, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["result"]["message"]) == (200, "hi")


def test_a_body_of_fifty_megabytes_is_refused_and_the_server_goes_on(api: httpx.Client) -> None:
    response = api.post("/mcp", content=b" " * 50_000_000, headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert response.json()["error"]["data"]["reason"] == "request_too_large"
    assert message_of(api.post("/mcp", json=PING)) == "hi"


def test_fifty_megabytes_in_chunks_are_refused_too(api: httpx.Client) -> None:
    response = api.post("/mcp", content=(b" " * 1_000_000 for _ in range(50)))
    assert response.status_code == 413
    assert message_of(api.post("/mcp", json=PING)) == "hi"


def test_a_connection_outlives_a_pause_between_requests(server: LiveServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.auto_open = False
    connection.connect()
    for pause_seconds in (IDLE_SECONDS, 0):
        connection.request("GET", "/health")
        assert connection.getresponse().read()
        time.sleep(pause_seconds)
    connection.close()


def test_the_health_page_needs_no_login_and_tells_nothing_private(server: LiveServer) -> None:
    response = httpx.get(f"{server.url}/health")
    assert response.status_code == 200
    assert response.json()["status"] == "ok"
    assert server.environment["OWNSONA_DATA_DIR"] not in response.text


def test_a_large_call_that_is_refused_leaves_its_connection_usable(server: LiveServer) -> None:
    with httpx.Client(base_url=server.url, timeout=60) as client:
        for _ in range(5):
            assert client.post("/mcp", content=b"x" * 200_000).status_code == 401
            assert client.get("/health").status_code == 200
