"""What curl and sloppy clients send, over a real socket to the real server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from tests.live_server import ROOT, LiveServer

PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ping", "arguments": {"message": "hi"}}}
TOKEN_SCRIPT = """
import django
django.setup()
from oauthserver.models import User
from tests.factories import make_access_token
print(make_access_token(User.objects.get()))
"""


@pytest.fixture(scope="module")
def http(server: LiveServer) -> Iterator[httpx.Client]:
    """A connection with a token, kept alive from test to test."""
    environment = {**server.environment, "DJANGO_SETTINGS_MODULE": "ownsona_site.settings"}
    command = [sys.executable, "-c", TOKEN_SCRIPT]
    token = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()
    with httpx.Client(base_url=server.url, headers={"authorization": f"Bearer {token}"}, timeout=60) as client:
        yield client


def message_of(response: httpx.Response) -> object:
    assert response.status_code == 200, response.text
    return response.json()["result"]["structuredContent"]["message"]


def test_a_plain_post_without_a_session_is_answered(http: httpx.Client) -> None:
    assert message_of(http.post("/mcp", json=PING)) == "hi"


def test_a_body_in_chunks_is_read_whole(http: httpx.Client) -> None:
    body = json.dumps(PING).encode()
    pieces = (body[start : start + 10] for start in range(0, len(body), 10))
    response = http.post("/mcp", content=pieces, headers={"content-type": "application/json"})
    assert message_of(response) == "hi"


def test_a_body_of_fifty_megabytes_is_refused_and_the_server_goes_on(http: httpx.Client) -> None:
    response = http.post("/mcp", content=b" " * 50_000_000, headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert response.json()["error"]["data"]["reason"] == "request_too_large"
    assert message_of(http.post("/mcp", json=PING)) == "hi"


def test_fifty_megabytes_in_chunks_are_refused_too(http: httpx.Client) -> None:
    response = http.post("/mcp", content=(b" " * 1_000_000 for _ in range(50)))
    assert response.status_code == 413
    assert message_of(http.post("/mcp", json=PING)) == "hi"


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
