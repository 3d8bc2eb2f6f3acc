"""The processes of scripts that are kept ready, so that a call does not wait for a new one."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from common.texts import translatable
from customtools.errors import ToolError
from customtools.sandbox.process import AnswerCall, ReceiveLog, SandboxProcess

MAX_IDLE: Final = 2
"""Processes without work that this process of the server keeps."""


class SandboxPool:
    """The processes of this process of the server. Each serves the scripts of one owner only. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[int, SandboxProcess]] = []
        self._server_pid = 0

    def run(
        self, owner_id: int, command: Mapping[str, Any], seconds: float, answer: AnswerCall, receive_log: ReceiveLog
    ) -> Any:
        """Run a script of the owner in a process of its own. See `SandboxProcess.run`."""
        with self._borrowed(owner_id) as process:
            return process.run(command, seconds, answer, receive_log)

    def close(self) -> None:
        """End the idle processes."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, process in idle:
            process.kill()

    def idle_pids(self) -> list[int]:
        """Return the ids of the idle processes."""
        with self._lock:
            return [process.pid for _, process in self._idle]

    @contextmanager
    def _borrowed(self, owner_id: int) -> Iterator[SandboxProcess]:
        process = self._take(owner_id) or _started()
        try:
            yield process
        finally:
            self._give_back(owner_id, process)

    def _take(self, owner_id: int) -> SandboxProcess | None:
        """Return an idle process of the owner, or None. One that has ended meanwhile is removed."""
        while (process := self._pop(owner_id)) is not None and not process.can_run_again:
            process.kill()
        return process

    def _pop(self, owner_id: int) -> SandboxProcess | None:
        with self._lock:
            if self._server_pid != os.getpid():
                # A fork copies this object, but the processes belong to the one that started them.
                self._server_pid, self._idle = os.getpid(), []
                atexit.register(self.close)
            for index in range(len(self._idle) - 1, -1, -1):
                if self._idle[index][0] == owner_id:
                    return self._idle.pop(index)[1]
        return None

    def _give_back(self, owner_id: int, process: SandboxProcess) -> None:
        surplus = [process]
        if process.can_run_again:
            with self._lock:
                self._idle.append((owner_id, process))
                surplus = [old for _, old in self._idle[:-MAX_IDLE]]
                self._idle = self._idle[-MAX_IDLE:]
        for each in surplus:
            each.kill()


def _started() -> SandboxProcess:
    try:
        return SandboxProcess()
    except OSError as error:
        raise ToolError(
            translatable("The process for the script could not be started: %(problem)s.", problem=error.strerror),
            reason="crash",
        ) from None


pool = SandboxPool()
