"""Settings that follow from the public URL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.live_server import ROOT, server_environment


def settings_with(data_directory: Path, names: str, **variables: str) -> Any:
    """The values of the settings `names`, separated by blanks, in a process of its own with these variables."""
    program = (
        "import json, sys; from ownsona_site import settings;"
        "print(json.dumps([getattr(settings, name) for name in sys.argv[1:]], default=str))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *names.split()],
        cwd=ROOT,
        env=server_environment(data_directory, 8000, OWNSONA_ENV_FILE=os.devnull, **variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("public_url", "trusted"),
    [
        ("http://127.0.0.1:8000", []),
        ("http://memory.example", []),
        ("https://memory.example", ["127.0.0.0/8", "::1/128"]),
    ],
)
def test_a_proxy_on_this_machine_is_trusted_where_there_must_be_one(
    tmp_path: Path, public_url: str, trusted: list[str]
) -> None:
    [networks] = settings_with(tmp_path, "TRUSTED_PROXIES", OWNSONA_PUBLIC_URL=public_url)
    assert [str(network) for network in networks] == trusted
