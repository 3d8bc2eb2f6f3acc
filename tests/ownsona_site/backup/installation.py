"""An installation with its own data folder, and its `manage.py` commands."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from ownsona_site.embedded_postgres.processes import server_processes, wait_until_gone
from tests.support.live_server import server_environment
from tests.support.processes import LIMIT_SECONDS, ROOT


@dataclass
class Installation:
    """A data folder and settings. The folder need not exist yet."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        settings = {"DJANGO_SETTINGS_MODULE": "ownsona_site.settings", **self.settings}
        return server_environment(self.folder, 8000, **settings)

    def manage(self, *arguments: str | Path, fails: bool = False) -> str:
        """Run a command, which must succeed, or with `fails` report an error without a traceback. Return its output."""
        return self.run("manage.py", *map(str, arguments), fails=fails)

    def run(self, *arguments: str, fails: bool = False) -> str:
        """Run a Python program and return its output."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        said = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, said
        assert "Traceback" not in said
        return said

    def memories(self) -> list[dict[str, Any]]:
        """Return all memories, tombstones included, oldest first."""
        said = self.manage("export_memories")
        return [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    def texts(self) -> list[str]:
        """Return the texts of all memories, oldest first."""
        return [memory["text"] for memory in self.memories()]

    def sql(self, query: str) -> str:
        """Return the output of psql for a query, without headings."""
        return self.manage("dbshell", "--", "--no-align", "--tuples-only", "--command", query).strip()


@contextmanager
def temporary_place() -> Iterator[Path]:
    """Yield a folder for data folders that the database's user can read. All servers in it are stopped at the end."""
    place = Path(tempfile.mkdtemp(prefix="ownsona-backup-")).resolve()
    place.chmod(0o755)
    try:
        yield place
    finally:
        for cluster in place.rglob("postgres"):
            for process in server_processes(cluster):
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            wait_until_gone(cluster, LIMIT_SECONDS)
        shutil.rmtree(place)


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Mount a file system of that size at `folder`. Skip the test if none can be mounted."""
    folder.mkdir()
    options = f"size={megabytes}m,mode=0755"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("only root can mount a small file system, and not in every container")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def members(archive: Path) -> dict[str, bytes]:
    """Return the content of the files in an archive, by name."""
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def manifest_of(archive: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(members(archive)["manifest.json"])
    return manifest


def altered(archive: Path, target: Path, **files: bytes | None) -> Path:
    """Copy an archive and replace files, named by the part before the dot. None leaves a file out."""
    content = {name: files.get(name.partition(".")[0], data) for name, data in members(archive).items()}
    with zipfile.ZipFile(target, "w") as opened:
        for name, data in content.items():
            if data is not None:
                opened.writestr(name, data)
    return target


def with_manifest(archive: Path, target: Path, **fields: Any) -> Path:
    """Copy an archive and change fields of its manifest."""
    return altered(archive, target, manifest=json.dumps({**manifest_of(archive), **fields}).encode())
