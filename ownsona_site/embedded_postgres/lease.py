"""A count of the processes that use the server, kept by file locks that the kernel drops when a process ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ownsona_site.embedded_postgres.errors import EmbeddedServerError, ServerInUse
from ownsona_site.embedded_postgres.processes import holders

CHANGE_FILE = "postgres.lock"
USERS_FILE = "postgres.users"


class Lease:
    """The registration of this process as a user of the server.

    Each user holds a shared lock on one file. The server is started and stopped under an exclusive lock on another
    file, so that the set of users cannot change meanwhile. Process ids are not used: they are reused by the system, and
    `kill -9` leaves them behind in files.
    """

    def __init__(self, directory: Path) -> None:
        self._users_path = directory / USERS_FILE
        self._change_path = directory / CHANGE_FILE
        self._descriptor: int | None = None

    @property
    def is_held(self) -> bool:
        return self._descriptor is not None

    @contextmanager
    def exclusive_access(self) -> Iterator[None]:
        """Wait for the exclusive right to start or stop the server, and hold it for the duration of the block.

        Raises EmbeddedServerError if a restore replaced the folder meanwhile, since this process still has the old
        secret key.
        """
        descriptor = _open(self._change_path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if not _is_at(descriptor, self._change_path):
                folder = self._change_path.parent
                raise EmbeddedServerError(
                    f"{folder} was replaced while this process waited for it. Start the process again."
                )
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def preparation_lock(self) -> Iterator[None]:
        """Prevent all use of the server for the duration of the block. Raises ServerInUse if a process uses it."""
        descriptors = []
        try:
            for path in (self._change_path, self._users_path):
                descriptors.append(_open(path))
                _lock_at_once(descriptors[-1], path)
            yield
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def take(self) -> None:
        """Register this process as a user. Call it within `exclusive_access`."""
        if self._descriptor is None:
            self._descriptor = _open(self._users_path)
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def drop(self) -> bool:
        """Unregister this process. Return whether it was the last user. Call it within `exclusive_access`."""
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
        """Close the lock file. After a fork, this does not end the lease of the parent process."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _lock_at_once(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        users = ", ".join(holders(path, other_than=os.getpid()))
        raise ServerInUse(f"The data folder {path.parent} is in use{users and f' by {users}'}.") from None


def _is_at(descriptor: int, path: Path) -> bool:
    """Return whether `path` is still the open file."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
