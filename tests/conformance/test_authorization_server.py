"""All scenarios of the protocol's own conformance suite for authorization servers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.clients.installed import node
from tests.clients.owner import OwnerBrowser
from tests.conformance.suite import SUITE, skip_unless_installed
from tests.support.live_server import LiveServer, free_port, live_server

SUITE_LIMIT_SECONDS = 60.0


@pytest.fixture
def server() -> Iterator[LiveServer]:
    skip_unless_installed()
    with live_server() as running:
        yield running


def test_every_scenario_for_authorization_servers_passes(server: LiveServer, tmp_path: Path) -> None:
    port = free_port()
    client_id = registered_client(server, f"http://127.0.0.1:{port}/callback")
    command = [str(node()), str(SUITE), "authorization", "--url", server.url, "--output-dir", str(tmp_path)]
    suite = subprocess.Popen(
        [*command, "--client-id", client_id, "--port", str(port)], stdout=subprocess.PIPE, text=True
    )
    said = []
    try:
        assert suite.stdout is not None
        for line in suite.stdout:
            said.append(line)
            if line.startswith(f"{server.url}/"):
                httpx.get(OwnerBrowser(*server.login).authorize(line.strip()))
        assert suite.wait(SUITE_LIMIT_SECONDS) == 0, "".join(said)
    finally:
        suite.kill()
    outcomes = {
        check["id"]: check["status"]
        for path in tmp_path.glob("*/checks.json")
        for check in json.loads(path.read_text())
    }
    assert outcomes == {
        "authorization-server-metadata": "SUCCESS",
        "authorization-server-metadata-cimd": "SUCCESS",
        "authorization-code-grant": "SUCCESS",
    }


def registered_client(server: LiveServer, redirect_uri: str) -> str:
    """Register a public client and return its id."""
    metadata = {"redirect_uris": [redirect_uri], "token_endpoint_auth_method": "none"}
    client_id: str = httpx.post(f"{server.url}/oauth/register", json=metadata).json()["client_id"]
    return client_id
