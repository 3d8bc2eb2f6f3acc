"""Real clients in processes of their own.

A driver (tests/clients/drivers) is given the server's URL. It connects, opens the browser if necessary, and prints the
names of the tools as one line of JSON. Then it reads calls, one per line, as `{"name": …, "arguments": …}`, and prints
the result of each as one line. It exits when its input ends, and with an error when access is denied.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.installed import NODE_PACKAGES, ROOT, node, python_of

DRIVERS = Path(__file__).parent / "drivers"
ANSWER_LIMIT_SECONDS = 60.0
OPENERS = ("browser", "xdg-open", "open")


@dataclass(frozen=True)
class Driver:
    """The command that starts a client, and the files that must be installed for it."""

    name: str
    file: str
    interpreter: Path
    needs: tuple[Path, ...] = ()

    @property
    def is_installed(self) -> bool:
        return all(path.exists() for path in (self.interpreter, *self.needs))

    def command(self, url: str) -> list[str]:
        return [str(self.interpreter), str(DRIVERS / self.file), url]


PYTHON = Path(sys.executable)
DRIVEN = [
    Driver("Python SDK 1.x", "python_sdk_1.py", python_of("python-sdk-1")),
    Driver("FastMCP", "fastmcp_client.py", python_of("fastmcp")),
    Driver("TypeScript SDK 1.x", "typescript_sdk_1.mjs", node(), (NODE_PACKAGES / "@modelcontextprotocol" / "sdk",)),
    Driver("TypeScript 2.x", "typescript_client_2.mjs", node(), (NODE_PACKAGES / "@modelcontextprotocol" / "client",)),
    Driver("mcp-remote", "mcp_remote.py", PYTHON, (node(), NODE_PACKAGES / "mcp-remote")),
    Driver("Inspector", "inspector.py", PYTHON, (node(), NODE_PACKAGES / "@modelcontextprotocol" / "inspector")),
]


class ClientExited(Exception):
    """The client exited. The message is its error output."""


class Session:
    """A running client."""

    def __init__(self, process: subprocess.Popen[str], logs: Path) -> None:
        self._process = process
        self._logs = logs
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.tools: list[str] = self._answer()

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"name": name, "arguments": arguments}) + "\n")
        self._process.stdin.flush()
        payload: dict[str, Any] = self._answer()
        return payload

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _answer(self) -> Any:
        try:
            line = self._answers.get(timeout=ANSWER_LIMIT_SECONDS)
        except queue.Empty:
            raise AssertionError(f"No answer. {self._said()}") from None
        if not line:
            raise ClientExited(self._said())
        return json.loads(line)

    def _said(self) -> str:
        """Return the error output of the client and its browser."""
        return "\n".join(log.read_text() for log in sorted(self._logs.iterdir()))


class Client:
    """A client on the owner's computer. It keeps its tokens between runs, in a home folder of its own."""

    def __init__(self, driver: Driver, url: str, login: tuple[str, str], home: Path) -> None:
        self._command = driver.command(url)
        self._home = home
        self._login = login
        self._visits = home / "visits.jsonl"
        self._logs = home / "logs"
        self._logs.mkdir()
        self._browser = self._install_browser()

    @property
    def visits(self) -> list[dict[str, dict[str, str]]]:
        """The parameters of each authorization request to the owner, and of the redirect that answered it."""
        return [json.loads(line) for line in self._visits.read_text().splitlines()] if self._visits.exists() else []

    @contextmanager
    def run(self, decision: str = "allow") -> Iterator[Session]:
        """Run and yield the connected client; the owner answers its requests with `decision`. Raise ClientExited."""
        with (self._logs / "client").open("w") as stderr:
            process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=self._environment(decision),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        try:
            yield Session(process, self._logs)
            assert process.stdin is not None
            process.stdin.close()
            process.wait(ANSWER_LIMIT_SECONDS)
        finally:
            process.kill()
            process.wait()

    def _environment(self, decision: str) -> dict[str, str]:
        """Return the environment of a computer without a desktop, whose only browser is the owner's."""
        return {
            "PATH": f"{self._browser.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self._home),
            "BROWSER": str(self._browser),
            "PYTHONPATH": str(ROOT),
            "OWNER_NAME": self._login[0],
            "OWNER_PASSWORD": self._login[1],
            "OWNER_DECISION": decision,
            "OWNER_VISITS": str(self._visits),
        }

    def _install_browser(self) -> Path:
        """Install the browser under each name by which clients start one. Like a real one, it returns at once."""
        folder = self._home / "bin"
        folder.mkdir()
        for name in OPENERS:
            program = folder / name
            program.write_text(
                f'#!/bin/sh\nexec "{sys.executable}" -m tests.clients.browser "$1" >"{self._logs}/browser-$$" 2>&1 &\n'
            )
            program.chmod(0o755)
        return folder / OPENERS[0]
