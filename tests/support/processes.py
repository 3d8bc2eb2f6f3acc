"""Data folders and child processes for tests, and waiting for their events."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import psutil
from django.db import connection

from ownsona_site.embedded_postgres.processes import server_processes, wait_until_gone

ROOT = Path(__file__).resolve().parents[2]
LIMIT_SECONDS = 180.0


@contextmanager
def temporary_data_directory() -> Iterator[Path]:
    """Yield a data folder that the database's user can reach, and stop its server at the end.

    pytest's own temporary folders are closed to other users.
    """
    path = Path(tempfile.mkdtemp(prefix="ownsona-test-")).resolve()
    path.chmod(0o711)
    try:
        yield path
    finally:
        for process in server_processes(path / "postgres"):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        wait_until_gone(path / "postgres", LIMIT_SECONDS)
        shutil.rmtree(path)


class Child:
    """A Python process whose output is read line by line."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(environment or {})},
            cwd=ROOT,
        )
        self.output = ""

    def wait_for(self, text: str) -> None:
        """Read the output until `text` appears. Fail if the process ends or the time is up before."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + LIMIT_SECONDS
        while text not in self.output:
            readable, _, _ = select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            chunk = os.read(self.process.stdout.fileno(), 65_536) if readable else b""
            assert chunk, f"{text!r} did not come. Output: {self.output}"
            self.output += chunk.decode(errors="replace")

    def close_stdin(self) -> None:
        """Close the standard input, whose end our scripts wait for."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None

    def end(self) -> int:
        """Wait for the exit and read the remaining output. Return the exit code."""
        rest, _ = self.process.communicate(timeout=LIMIT_SECONDS)
        self.output += rest.decode(errors="replace")
        return self.process.returncode


@contextmanager
def child(*arguments: str, environment: dict[str, str] | None = None) -> Iterator[Child]:
    """Run a Python process and kill it at the end of the block."""
    started = Child(arguments, environment)
    with started.process:
        try:
            yield started
        finally:
            started.process.kill()


def environment_of_a_worker() -> dict[str, str]:
    """Return the environment of a process on the database of the tests."""
    server = connection.get_connection_params()
    place = f"{quote(server['host'], safe='')}:{server.get('port', 5432)}"
    return {
        "DATABASE_URL": f"postgresql://{server['user']}@{place}/{server['dbname']}",
        "DJANGO_SETTINGS_MODULE": "ownsona_site.settings",
    }


def eventually(condition: Callable[[], bool], limit_seconds: float = LIMIT_SECONDS) -> bool:
    """Return whether the condition becomes true in time."""
    deadline = time.monotonic() + limit_seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def command_of(process: psutil.Process) -> list[str]:
    """Return the command line of the process; empty if it has ended."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def listens(process: psutil.Process) -> bool:
    try:
        return any(each.status == psutil.CONN_LISTEN for each in process.net_connections("tcp"))
    except psutil.NoSuchProcess:
        return True
