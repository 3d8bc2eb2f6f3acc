"""The database of a first start, made once for all tests, because its migrations take long."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ownsona_site.configuration.data_directory import create_data_directory

ROOT = Path(__file__).resolve().parents[2]

folder: Path | None = None
"""The data folder of the database, which is created when it is first needed. None: every server makes its own."""


def copy_first_database(data_directory: Path, *, durable: bool = True) -> None:
    """Put the database that a first start would make into a data folder, unless it has one.

    Without `durable`, the server does not wait for the disk. A crash of the machine can then damage the database.
    """
    if folder is None:
        return
    create_data_directory(folder.parent)
    target = data_directory / "postgres"
    # Parallel processes may copy it into the same data folder.
    with open(folder.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            return
        if not folder.exists():
            _make(folder)
        subprocess.run(["cp", "-a", folder / "postgres", target], check=True)
        if not durable:
            with open(target / "postgresql.auto.conf", "a", encoding="ascii") as settings:
                settings.write("fsync = off\nfull_page_writes = off\nsynchronous_commit = off\n")


def _make(new: Path) -> None:
    unfinished = new.with_suffix(".unfinished")
    # Left by a process that was stopped while it made one.
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o755)
    environment = {**os.environ, "OWNSONA_DATA_DIR": str(unfinished), "DJANGO_SETTINGS_MODULE": "ownsona_site.settings"}
    command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
    subprocess.run(command, env=environment, cwd=ROOT, check=True, timeout=600)
    unfinished.rename(new)
