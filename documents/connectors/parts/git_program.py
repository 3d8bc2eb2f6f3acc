"""The git program, run without prompts, hooks, and the settings of the machine and its users."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from common.texts import translatable
from documents.connectors.base import SourceError

# 2.32 is the first release that obeys GIT_CONFIG_GLOBAL.
MINIMUM_VERSION = (2, 32)
INSTALL = translatable("git: Install git 2.32 or newer, and make sure that OwnSona finds it in its PATH.")
POLL_SECONDS = 0.1
MAX_ERROR_BYTES = 64 * 1024
MAX_MESSAGES_BYTES = 16 * 1024 * 1024
# The environment of git is these variables and nothing else: others change what git and its helpers do.
INHERITED = ("PATH", "SSH_AUTH_SOCK", "TMPDIR")
SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "maintenance.auto": "false",
    # Each fetch adds one pack. `git gc --auto` counts them, and loose objects.
    "fetch.unpackLimit": "1",
    "gc.autoPackLimit": "20",
    "gc.autoDetach": "false",
    # A redirect could lead to an address that was not checked. git treats http-alternates like redirects.
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "30",
}


class GitFailed(Exception):
    """A git command that failed. `stderr` is in English and may contain the URL of the repository."""

    def __init__(self, stderr: str) -> None:
        super().__init__("git failed")
        self.stderr = stderr


class GitProgram:
    """git on the bare repository in `folder`, with additional `settings` and variables of the environment.

    Settings are passed in the environment, where other users of the machine do not see them.
    """

    def __init__(
        self, folder: Path, transport: str, settings: Mapping[str, str], variables: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self._environment = _environment(folder, transport, {**SETTINGS, **settings}, variables or {})

    def run(self, arguments: Sequence[str], deadline: float, is_too_large: Callable[[], bool] = lambda: False) -> bytes:
        """Run git and return its output. Raises GitFailed.

        Raises TimeoutError at `deadline` (by time.monotonic), and BufferError as soon as `is_too_large` returns True or
        git has printed too many messages.
        """
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            process = self._started(arguments, output.fileno(), errors.fileno())
            try:
                while process.poll() is None:
                    if time.monotonic() > deadline:
                        raise TimeoutError
                    # A server can send any number of messages, which git passes on.
                    if is_too_large() or os.fstat(errors.fileno()).st_size > MAX_MESSAGES_BYTES:
                        raise BufferError
                    _wait(process)
            finally:
                # Also ends the helpers of git, such as git-remote-https and ssh.
                _kill(process)
            errors.seek(0)
            if process.returncode:
                raise GitFailed(errors.read(MAX_ERROR_BYTES).decode("utf-8", "replace"))
            output.seek(0)
            return output.read()

    def records(self, arguments: Sequence[str]) -> Iterator[bytes]:
        """Run git and yield the records of its output, which end with NUL. Raises GitFailed."""
        with tempfile.TemporaryFile() as errors:
            process = self._started(arguments, subprocess.PIPE, errors.fileno())
            assert process.stdout
            try:
                rest = b""
                while block := process.stdout.read(1 << 16):
                    *records, rest = (rest + block).split(b"\0")
                    yield from records
                process.wait()
            finally:
                process.stdout.close()
                _kill(process)
            if process.returncode:
                errors.seek(0)
                raise GitFailed(errors.read(MAX_ERROR_BYTES).decode("utf-8", "replace"))

    def open_objects(self) -> ObjectReader:
        """Start a process that returns objects by their ids."""
        return ObjectReader(
            self._started(["cat-file", "--batch"], subprocess.PIPE, subprocess.DEVNULL, subprocess.PIPE)
        )

    def _started(
        self, arguments: Sequence[str], output: int, errors: int, data: int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603
                [git_path(), *arguments],
                stdin=data,
                stdout=output,
                stderr=errors,
                cwd=self.folder,
                env=self._environment,
                start_new_session=True,
            )
        except OSError:
            raise SourceError("not_configured", INSTALL) from None


class ObjectReader:
    """A process of `git cat-file --batch`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def read(self, object_id: str) -> bytes | None:
        """Return the content of an object, None if it is missing. Raises GitFailed."""
        assert self._process.stdin
        assert self._process.stdout
        try:
            self._process.stdin.write(object_id.encode("ascii") + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise GitFailed("") from None
        header = self._process.stdout.readline().split()
        if len(header) != 3:
            if header[1:] == [b"missing"]:
                return None
            raise GitFailed("")
        size = int(header[2])
        content = self._process.stdout.read(size + 1)
        if len(content) != size + 1:
            raise GitFailed("")
        return content[:-1]

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        _kill(self._process)


def git_path() -> str:
    """Return the path of the git program. Raises SourceError if there is none."""
    path = shutil.which("git")
    if path is None:
        raise SourceError("not_configured", INSTALL)
    return path


def require_version(program: GitProgram, deadline: float) -> None:
    """Raise SourceError unless git is at least MINIMUM_VERSION."""
    words = program.run(["version"], deadline).decode("ascii", "replace").split()
    numbers = words[2].split(".") if len(words) > 2 else []
    version = tuple(int(number) for number in numbers[:2] if number.isdecimal())
    if version < MINIMUM_VERSION:
        raise SourceError("not_configured", INSTALL)


def _environment(
    folder: Path, transport: str, settings: Mapping[str, str], variables: Mapping[str, str]
) -> dict[str, str]:
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    environment |= {
        "GIT_DIR": str(folder),
        "HOME": str(folder),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        # Any other transport is refused, in particular ext, which runs a command.
        "GIT_ALLOW_PROTOCOL": transport,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_CONFIG_COUNT": str(len(settings)),
        **variables,
    }
    for number, (key, value) in enumerate(settings.items()):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment


def _wait(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group, unless the process has ended by itself, and wait for the process."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
