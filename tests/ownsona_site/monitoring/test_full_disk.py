"""Tests of a running server on a real disk that another process fills."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from common.disk_reserve import reserve_in
from ownsona_site.embedded_postgres.binaries import packaged_programs
from tests.support.live_server import LiveServer, live_server
from tests.support.processes import eventually
from tests.support.small_disk import fill, free_megabytes, small_disk

MAKE_TOKEN = """
from oauthserver.models import PersonalToken, User
from oauthserver.tokens.personal_tokens import PERSONAL_PREFIX
from oauthserver.tokens.access_tokens import token_checksum
token = PERSONAL_PREFIX + "x" * 40
scopes = ["memory:read", "memory:write", "memory:admin"]
PersonalToken.objects.create(user=User.objects.get(), name="test", token_sha256=token_checksum(token), scopes=scopes)
print(token)
"""
REFUSED_WRITES = 200


@dataclass
class Running:
    """A server, its disk, and a token for it."""

    server: LiveServer
    disk: Path
    token: str

    @property
    def data(self) -> Path:
        return self.disk / "data"

    @property
    def log(self) -> str:
        return "".join(self.server.output)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its payload."""
        params = {"name": tool, "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.server.url}/mcp", body, headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            answer: dict[str, Any] = json.load(response)["result"]["structuredContent"]
        return answer

    def health(self) -> tuple[int, dict[str, Any]]:
        try:
            with urllib.request.urlopen(f"{self.server.url}/health", timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    limits = {"DISK_WARNING_MB": "220", "DISK_MINIMUM_MB": "120", "DISK_RESERVE_MB": "64"}
    with small_disk(700) as disk:
        (disk / "data").mkdir()
        with live_server(disk / "data", MCP_RATE_LIMIT_PER_MINUTE="0", **limits) as server:
            yield Running(server, disk, server.run(MAKE_TOKEN).strip())


def test_on_a_full_disk_all_goes_on_that_stores_nothing_until_there_is_room(running: Running) -> None:
    ids = [running.call("remember", text=f"Fact {number} about Ada's cat")["memory_id"] for number in range(5)]
    assert reserve_in(running.data).exists()
    assert running.health()[0] == 200
    others = fill(running.disk)

    assert eventually(lambda: free_megabytes(running.disk) > 32)
    assert not reserve_in(running.data).exists()
    status, said = running.health()
    assert (status, said["failing"]) == (503, "storage")
    said_before = len(running.log)
    began = time.monotonic()
    for number in range(REFUSED_WRITES):
        error = running.call("remember", text=f"No room for fact {number}")["error"]
        assert error["code"] == "DATABASE_ERROR"
        assert "disk of the server is full" in error["message"]
    minutes = (time.monotonic() - began) / 60
    written = running.log[said_before:]
    assert "Traceback" not in written
    # The thread that watches the disk reports it once a minute, for all processes.
    assert written.count("The disk is full") <= minutes + 2

    assert running.call("recall", query="Ada's cat")["matches"]
    assert running.call("export_memories")["count"] == 5
    assert running.call("forget", id=ids[0])["message"] == "Forgotten"
    assert running.call("forget", id=ids[1], hard_delete=True)["message"] == "Hard deleted"
    assert len(running.server.manage("export_memories").splitlines()) == 4
    assert b"Fact 2" in dump_of(running.data)

    others.unlink()
    assert eventually(lambda: running.health()[0] == 200)
    assert running.call("remember", text="There is room again")["message"] == "Ok"
    assert eventually(reserve_in(running.data).exists)
    assert eventually(lambda: "The disk has enough free space again" in running.log)


def dump_of(data: Path) -> bytes:
    """Return a dump of the database, as a backup makes it."""
    arguments = ["-h", str(data / "socket"), "-U", "ownsona", "ownsona"]
    return subprocess.run([packaged_programs() / "pg_dump", *arguments], capture_output=True, check=True).stdout
