"""OwnSona as its owner runs it: `manage.py serve` with a data folder of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.first_database import copy_first_database

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT_SECONDS = 300.0
"""A first start takes twenty seconds of processor time, and the machine may be busy with other tests."""
STOP_LIMIT_SECONDS = 60.0


def free_port() -> int:
    """Return a port of this machine that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class LiveServer:
    """A running server, its address, and the login that it printed at its first start."""

    process: subprocess.Popen[str]
    port: int
    environment: dict[str, str]
    output: list[str] = field(default_factory=list)
    _ready: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def login(self) -> tuple[str, str]:
        """The owner's name and generated password."""
        said = "".join(self.output)
        found = re.search(r"name\s+(\S+)\s+password\s+(\S+)", said)
        assert found, said
        return found[1], found[2]

    def listen(self) -> None:
        """Collect the server's output until it ends."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output.append(line)
            if "is ready" in line:
                self._ready.set()
        self._ready.set()

    def wait_until_ready(self) -> None:
        """Return when the server responds. Fail with its output if it does not."""
        assert self._ready.wait(START_LIMIT_SECONDS), "".join(self.output)
        assert self.process.poll() is None, "".join(self.output)

    def manage(self, *arguments: str) -> str:
        """Run a manage.py command beside the server and return its output."""
        return self._run("manage.py", *arguments)

    def run(self, script: str) -> str:
        """Run a Python script with the server's settings and database, and return its output."""
        return self._run("-c", f"import django\ndjango.setup()\n{script}")

    def _run(self, *arguments: str) -> str:
        environment = {"DJANGO_SETTINGS_MODULE": "ownsona_site.settings", **self.environment}
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def server_environment(data_directory: Path, port: int, **settings: str) -> dict[str, str]:
    """Return the environment of a separate server, without the settings of the tests and of the developer."""
    kept = {
        name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV"}
    }
    return {
        **kept,
        "OWNSONA_DATA_DIR": str(data_directory),
        "PORT": str(port),
        "EMBEDDING_PROVIDER": "fake",
        "PYTHONUNBUFFERED": "1",
        **settings,
    }


@contextmanager
def live_server(data_directory: Path | None = None, **settings: str) -> Iterator[LiveServer]:
    """Yield a server that is ready, and stop it at the end. Remove its data unless the folder was given."""
    folder = data_directory or Path(tempfile.mkdtemp(prefix="ownsona-live-"))
    folder.chmod(0o755)  # Under root, the database runs as another user, who must be able to reach its subfolder.
    copy_first_database(folder)
    port = int(settings.pop("PORT", "") or free_port())
    environment = server_environment(folder, port, **settings)
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    server = LiveServer(process, port, environment)
    listener = threading.Thread(target=server.listen, daemon=True)
    listener.start()
    try:
        server.wait_until_ready()
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
        listener.join(STOP_LIMIT_SECONDS)
        if data_directory is None:
            shutil.rmtree(folder, ignore_errors=True)
