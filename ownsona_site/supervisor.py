"""Runs a few programs together: watches them while they work, and stops them all when one thing must stop."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

STOP_LIMIT_SECONDS = 15.0
READY_LIMIT_SECONDS = 120.0
READY_POLL_SECONDS = 0.05
IDLE_SECONDS = 60.0
LONGEST_PAUSE_SECONDS = 60.0
ENVIRONMENT = {"MALLOC_ARENA_MAX": "2"}
"""What programs find in their environment unless it says otherwise. On Linux each thread would have a heap of its own,
and keep what it has freed."""
# Waits for the end of its input, which is the end of the supervisor in whatever way, then ends its process group.
# macOS cannot tie a child's life to its parent's; this works there and on Linux. The first pause is for the kernel to
# let go of the locks of a killed supervisor: the last program to end must see that it is the last.
WATCHDOG = f"trap '' INT TERM HUP; cat >/dev/null; sleep 1; kill -TERM 0; sleep {STOP_LIMIT_SECONDS:.0f}; kill -KILL 0"


class ProgramEnded(Exception):
    """A program that must not end has ended. `str(error)` says which and how."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command to keep running. Without `restarts`, its end is the end of everything."""

    name: str
    command: Sequence[str]
    restarts: bool
    inherits: Sequence[int] = ()
    """File descriptors that the program shares with this process."""


class Watched:
    """A program and the process that runs it now."""

    def __init__(self, program: Program, group: int) -> None:
        self._program = program
        self._group = group
        self._pause_seconds = 0.0
        self._start_at = 0.0
        self._started_at = 0.0
        self.process: subprocess.Popen[bytes] | None = None

    def tend(self) -> float:
        """Start the program when it is time to; seconds until it is. Raises ProgramEnded."""
        if self.process is not None and self.process.poll() is not None:
            code = self.process.returncode
            if not self._program.restarts:
                raise ProgramEnded(f"The {self._program.name} ended unexpectedly (exit code {code}).")
            self._plan_restart()
            self.process = None
        now = time.monotonic()
        if self.process is None and now >= self._start_at:
            self._started_at = now
            self.process = subprocess.Popen(  # noqa: S603 - the programs are this project's own
                self._program.command,
                stdin=subprocess.DEVNULL,
                pass_fds=self._program.inherits,
                process_group=self._group,
                env={**ENVIRONMENT, **os.environ},
            )
        return IDLE_SECONDS if self.process is not None else self._start_at - now

    def _plan_restart(self) -> None:
        lived_seconds = time.monotonic() - self._started_at
        grown = min(max(1.0, self._pause_seconds * 2), LONGEST_PAUSE_SECONDS)
        self._pause_seconds = 1.0 if lived_seconds > LONGEST_PAUSE_SECONDS else grown
        self._start_at = time.monotonic() + self._pause_seconds


def stop_signals() -> list[signal.Signals]:
    """The signals that ask to stop. Under nohup a closed terminal is no reason to."""
    under_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM, *([] if under_nohup else [signal.SIGHUP])]


def leave_when_asked() -> None:
    """Have those signals end this process in order, its exit functions included. Call it from the main thread."""
    for number in stop_signals():
        signal.signal(number, _leave)


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)


def supervise(programs: Sequence[Program], is_ready: Callable[[], bool], when_ready: Callable[[], None]) -> None:
    """Run the programs until SIGINT, SIGTERM or SIGHUP, then stop them all. Call it from the main thread.

    `when_ready` is called once, as soon as `is_ready`. Raises ProgramEnded when a program ends that must not, or when
    it is not ready in time; the others are stopped all the same.
    """
    wake_up, signalled = os.pipe()
    os.set_blocking(signalled, False)
    requested: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGCHLD:
            requested.append(number)

    for number in (*stop_signals(), signal.SIGCHLD):
        signal.signal(number, note)
    signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)

    watchdog = subprocess.Popen(  # noqa: S603 - a constant
        ["/bin/sh", "-c", WATCHDOG], stdin=subprocess.PIPE, process_group=0
    )
    watched = [Watched(program, watchdog.pid) for program in programs]
    ready_limit = time.monotonic() + READY_LIMIT_SECONDS
    ready = False
    try:
        while not requested:
            pause = min(each.tend() for each in watched)
            if not ready and is_ready():
                ready = True
                when_ready()
            elif not ready:
                pause = READY_POLL_SECONDS
                if time.monotonic() > ready_limit:
                    raise ProgramEnded(f"The server does not answer after {READY_LIMIT_SECONDS:.0f} seconds.")
            if select.select([wake_up], [], [], max(0.0, pause))[0]:
                os.read(wake_up, 4096)
    finally:
        stop(watchdog, [each.process for each in watched if each.process is not None])
        signal.set_wakeup_fd(-1)
        os.close(wake_up)
        os.close(signalled)


def stop(watchdog: subprocess.Popen[bytes], running: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask the processes to end, and end what is left of them, and of their children, when the time is up."""
    for process in running:
        process.terminate()
    deadline = time.monotonic() + STOP_LIMIT_SECONDS
    for process in running:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            break
    os.killpg(watchdog.pid, signal.SIGKILL)
    for process in (*running, watchdog):
        process.wait()
