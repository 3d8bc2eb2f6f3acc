"""The data of an owner who runs the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_tests_never_use_the_data_folder_and_settings_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "memories").write_text("precious")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TESTS_")}
    environment |= {"DJANGO_SETTINGS_MODULE": "ownsona_site.settings", "OWNSONA_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "--collect-only", "tests/project/test_data_of_owners.py"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["memories"]
