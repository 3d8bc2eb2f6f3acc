"""The scripts in docs/connect/scripts.md and docs/rest.md, run unchanged."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.installed import NODE_PACKAGES, node
from tests.support.live_server import ROOT, LiveServer

SCRIPTS, REST = ROOT / "docs" / "connect" / "scripts.md", ROOT / "docs" / "rest.md"
PREPARE = """
from oauthserver.models import User
from tests.support.factories import make_memory, make_personal_token
owner = User.objects.get()
make_memory(owner, "My dog is called Mochi")
print(make_personal_token(owner, scopes=["memory:read"]))
"""
INTERPRETERS = {
    "bash": ["bash", "-c"],
    "python": [sys.executable, "-c"],
    "javascript": [str(node()), "--input-type=module", "--eval"],
}


@pytest.fixture(scope="module")
def token(server: LiveServer) -> str:
    """A personal token with read access, of an owner with one memory."""
    return server.run(PREPARE).strip()


@pytest.mark.parametrize(("page", "language"), [*((SCRIPTS, language) for language in INTERPRETERS), (REST, "bash")])
def test_a_script_of_the_documentation_finds_the_memory(
    page: Path, language: str, server: LiveServer, token: str
) -> None:
    if language == "javascript" and not (node().exists() and NODE_PACKAGES.exists()):
        pytest.skip("The TypeScript client is not installed: run `make clients`")
    if language == "bash" and not shutil.which("curl"):
        pytest.skip("curl is not installed")
    program = re.search(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert program
    done = subprocess.run(
        [*INTERPRETERS[language], program[1].replace("http://127.0.0.1:8000", server.url)],
        cwd=ROOT / "tests",
        env={**os.environ, "OWNSONA_TOKEN": token},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "My dog is called Mochi" in done.stdout
