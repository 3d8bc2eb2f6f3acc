"""Supervisor of a program: restarts it when it ends, and stops it with all its child processes."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

import psutil

from ownsona_site.startup.restart_pauses import RestartPauses

STOP_LIMIT_SECONDS = 15.0
READY_LIMIT_SECONDS = 120.0
READY_POLL_SECONDS = 0.05
ORPHANS_LIMIT_SECONDS = 10.0
"""Time that orphaned processes have to end before they are killed."""

REPEAT_SECONDS = 0.1
CLEANUP_SECONDS = 10.0
"""Time after which a stop signal that was noticed is repeated: its exception must have been lost."""

IDLE_SECONDS = 60.0
ENVIRONMENT = {"MALLOC_ARENA_MAX": "2"}
"""Default environment variables of the program. Without this one, on Linux each thread would have a heap of its own,
and keep the memory that it has freed."""
# Waits for the end of its input, which closes however the supervisor ends, then ends its process group. It works on
# Linux and on macOS, which cannot end a child with its parent. The first pause gives the kernel time to release the
# locks of a killed supervisor: the last program to end must see that it is the last.
WATCHDOG = f"trap '' INT TERM HUP; cat >/dev/null; sleep 1; kill -TERM 0; sleep {STOP_LIMIT_SECONDS:.0f}; kill -KILL 0"


class ProgramEnded(Exception):
    """The program ended before it was ready, or did not become ready. `str(error)` says how."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command to keep running."""

    name: str
    command: Sequence[str]
    inherits: Sequence[int] = ()
    """File descriptors that the program shares with this process."""


class SupervisedProgram:
    """A program and its current process, if it is running."""

    def __init__(self, program: Program, group: int) -> None:
        self._program = program
        self._group = group
        self._pauses = RestartPauses()
        self._start_at = 0.0
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended and `start_if_due` has not handled that yet."""
        return self.process is not None and self.process.poll() is not None

    def start_if_due(self, *, is_ready: bool) -> float:
        """Start the program if it is due. Return the seconds until the next check. Raises ProgramEnded."""
        if self.process is not None and self.has_ended:
            ended = f"The {self._program.name} ended unexpectedly (exit code {self.process.returncode})"
            if not is_ready:
                raise ProgramEnded(f"{ended}.")
            pause_seconds = self._pauses.after_end()
            self._start_at = time.monotonic() + pause_seconds
            print(f"{ended}. It restarts in {pause_seconds:.0f} s.", file=sys.stderr, flush=True)
            self.process = None
        now = time.monotonic()
        if self.process is None and now >= self._start_at:
            self._pauses.started()
            self.process = subprocess.Popen(  # noqa: S603 - the program is this project's own
                self._program.command,
                stdin=subprocess.DEVNULL,
                pass_fds=self._program.inherits,
                process_group=self._group,
                env={**ENVIRONMENT, **os.environ},
            )
        return IDLE_SECONDS if self.process is not None else self._start_at - now


def stop_signals() -> list[signal.Signals]:
    """Return the signals that stop the supervisor. SIGHUP (a closed terminal) is not one of them under nohup."""
    under_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM, *([] if under_nohup else [signal.SIGHUP])]


def exit_on_stop_signal() -> None:
    """Exit this process normally, with its exit functions, on a stop signal. Call it from the main thread."""
    for number in stop_signals():
        signal.signal(number, _leave)


def exit_if_stopped() -> None:
    """Exit if a stop signal has arrived since `exit_on_stop_signal`.

    Its exception is lost if it is raised in a place that Python ignores exceptions of, such as a destructor, or
    replaced by another one if what it interrupted cannot be cleaned up.
    """
    if _stopped_by:
        sys.exit(0)


def repeat_stop_signal() -> None:
    """Repeat a stop signal until this process ends. Call it from the main thread, after `exit_on_stop_signal`.

    For a main thread that waits in system calls. A signal that arrives just before one begins to wait is noticed only
    when that ends: Python's handlers run between the steps of its interpreter.
    """
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    threading.Thread(target=_repeat, args=(reads, threading.get_ident()), daemon=True).start()


def _repeat(reads: int, main_thread: int) -> None:
    while (number := os.read(reads, 1)[0]) not in stop_signals():
        pass
    while True:
        time.sleep(REPEAT_SECONDS)
        if _stopped_by:
            time.sleep(CLEANUP_SECONDS)
        signal.pthread_kill(main_thread, number)


_stopped_by: list[int] = []


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    _stopped_by.append(number)
    sys.exit(0)


def supervise(program: Program, is_ready: Callable[[], bool], when_ready: Callable[[], None]) -> None:
    """Run the program until SIGINT, SIGTERM or SIGHUP, then stop it. Call it from the main thread.

    `when_ready` is called once, as soon as `is_ready` returns True. If the program ends later, it is restarted, with
    growing pauses if it ends soon. Raises ProgramEnded when it ends before it is ready, or when that takes longer than
    READY_LIMIT_SECONDS.
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
    watched = SupervisedProgram(program, watchdog.pid)
    orphans = Orphans(watchdog.pid)
    ready_limit = time.monotonic() + READY_LIMIT_SECONDS
    ready = False
    try:
        while not requested:
            if watched.has_ended:
                orphans.terminate()
            pause = min(orphans.kill_if_due(), watched.start_if_due(is_ready=ready))
            if not ready and is_ready():
                ready = True
                when_ready()
            elif not ready:
                pause = READY_POLL_SECONDS
                if time.monotonic() > ready_limit:
                    raise ProgramEnded(f"The server does not respond after {READY_LIMIT_SECONDS:.0f} seconds.")
            if select.select([wake_up], [], [], max(0.0, pause))[0]:
                os.read(wake_up, 4096)
    finally:
        stop(watchdog, watched.process)
        signal.set_wakeup_fd(-1)
        os.close(wake_up)
        os.close(signalled)


class Orphans:
    """Child processes that a killed program left behind. They would otherwise keep running beside its next start."""

    def __init__(self, group: int) -> None:
        self._group = group
        self._left: list[psutil.Process] = []
        self._kill_at = 0.0

    def terminate(self) -> None:
        """Terminate every process of the group but its leader, the watchdog, and the children of that."""
        self._left = [process for process in _processes_of(self._group) if not _is_of(process, self._group)]
        self._kill_at = time.monotonic() + ORPHANS_LIMIT_SECONDS
        for process in self._left:
            with suppress(psutil.NoSuchProcess):
                process.terminate()

    def kill_if_due(self) -> float:
        """Kill the orphans if their time is up. Return the seconds until the next check."""
        if not self._left:
            return IDLE_SECONDS
        if (seconds := self._kill_at - time.monotonic()) > 0:
            return seconds
        for process in self._left:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._left = []
        return IDLE_SECONDS


def _processes_of(group: int) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        with suppress(ProcessLookupError, PermissionError):
            if os.getpgid(process.pid) == group:
                yield process


def _is_of(process: psutil.Process, pid: int) -> bool:
    """Return whether the process is the one with this pid or a descendant of it. True if it has ended."""
    try:
        return process.pid == pid or any(parent.pid == pid for parent in process.parents())
    except psutil.NoSuchProcess:
        return True


def stop(watchdog: subprocess.Popen[bytes], running: subprocess.Popen[bytes] | None) -> None:
    """Terminate the process. When it has ended, or after STOP_LIMIT_SECONDS, kill what is left, with children."""
    if running is not None:
        running.terminate()
        with suppress(subprocess.TimeoutExpired):
            running.wait(STOP_LIMIT_SECONDS)
    os.killpg(watchdog.pid, signal.SIGKILL)
    for process in (running, watchdog):
        if process is not None:
            process.wait()
