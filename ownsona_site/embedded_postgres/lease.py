"""Counts the processes that use the server, by locks that the kernel drops however a process ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Lease:
    """This process's share in the server.

    Each user holds a shared lock on one file. Starting and stopping happen under an exclusive lock on another, so
    nobody comes or goes meanwhile. Process ids play no part: they are used again, and `kill -9` leaves them behind.
    """

    def __init__(self, directory: Path) -> None:
        self._users_path = directory / "postgres.users"
        self._change_path = directory / "postgres.lock"
        self._descriptor: int | None = None

    @property
    def is_held(self) -> bool:
        return self._descriptor is not None

    @contextmanager
    def changing(self) -> Iterator[None]:
        """The time in which only this process may start or stop the server. Waits for its turn."""
        descriptor = _open(self._change_path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def take(self) -> None:
        """Count this process as a user. Call it within `changing`."""
        if self._descriptor is None:
            self._descriptor = _open(self._users_path)
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def drop(self) -> bool:
        """Stop counting this process; whether it was the last user. Call it within `changing`."""
        if self._descriptor is None:
            return False
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            was_last = True
        except BlockingIOError:
            was_last = False
        self.abandon()
        return was_last

    def abandon(self) -> None:
        """Forget a share that belongs to the parent process; it keeps it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
