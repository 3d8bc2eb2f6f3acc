"""Tests of `manage.py doctor`."""

from __future__ import annotations

import json
import subprocess
import sys
from io import StringIO

import httpx
import pytest
from django.core.management import CommandError, call_command

from tests.support.live_server import ROOT, LiveServer, free_port, live_server
from tests.support.processes import eventually

APPS = "from oauthserver.models import Application; print(Application.objects.count())"

FIRST_STEP = {
    "title": "The host name resolves",
    "outcome": "passed",
    "seen": "127.0.0.1 resolves to 127.0.0.1.",
    "fix": "",
}
NO_ADDRESSES = (
    *("memory.example", "ftp://memory.example", "https://", "https://a:b@c/mcp", "https://x:99999/mcp"),
    *("https://[x/mcp", "https://x/mcp?token=1", "https://x/mcp#top", "https://x\x00/mcp", "https://x/\ud800"),
)


def run(server: LiveServer, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "doctor", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=server.environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_server_as_it_is_started_passes_and_one_that_is_stopped_does_not() -> None:
    with live_server() as server:
        done = run(server)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "failed" not in done.stdout
        assert "passed    A tool responds" in done.stdout
        assert "passed    Background jobs are running" in done.stdout
        assert done.stderr == ""
        assert "\x1b" not in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 80
        assert server.manage("shell", "--no-imports", "-c", APPS).strip() == "0"
        assert "refused" not in done.stdout.partition("passed    Everything is cleaned up")[2]

        form = {"grant_type": "refresh_token", "refresh_token": "sesame", "client_id": "Notebook"}
        assert httpx.post(f"{server.url}/oauth/token", data=form).status_code == 401
        assert eventually(lambda: "Notebook, Renewal" in run(server).stdout)

        found = run(server, "--json", f"http://127.0.0.1:{free_port()}/mcp")
        assert found.returncode == 1
        report = json.loads(found.stdout)
        assert report["ok"] is False
        assert {
            "title": "The host name resolves",
            "outcome": "passed",
            "seen": "127.0.0.1 resolves to 127.0.0.1.",
            "fix": "",
        } in report["steps"]
        assert [step["title"] for step in report["steps"] if step["outcome"] == "failed"] == ["A connection opens"]


@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_what_is_no_address_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(CommandError, match="Use https://host/mcp"):
        call_command("doctor", url)


def test_a_bare_origin_means_its_endpoint() -> None:
    said = StringIO()
    origin = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(SystemExit) as end:
        call_command("doctor", origin, stdout=said)
    assert end.value.code == 1
    assert said.getvalue().startswith(f"{origin}/mcp, tested as a client:")
    assert "→ Check that OwnSona is running" in said.getvalue()
