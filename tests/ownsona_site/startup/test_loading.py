"""Modules that processes load at their start: only the models first, and everything before a web server forks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

from tests.support.processes import ROOT

SCRIPT = """
import sys, django
django.setup()
print(*sys.modules)
import ownsona_site.asgi
print(*sys.modules)
"""
LATER = {"ownsona_site.wiring", "ownsona_site.urls", "memories.admin.memory", "memories.tasks", "mcpapi.catalog"}
"""Modules that most commands do not need, of each kind."""


def test_commands_load_the_models_and_a_web_server_loads_all(tmp_path: Path) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "ownsona_site.settings", "OWNSONA_DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    at_first, in_web_server = (set(line.split()) for line in done.stdout.splitlines())
    assert "memories.models" in at_first
    assert LATER & at_first == set()
    assert in_web_server >= LATER


def test_the_jobs_of_all_apps_are_loaded() -> None:
    written = {f"{path.parent.name}.tasks" for path in ROOT.glob("*/tasks.py")}
    assert set(settings.PROCRASTINATE_IMPORT_PATHS) == written
