"""Lock between the web processes."""

from __future__ import annotations

import asyncio
import fcntl
from tempfile import TemporaryFile

POLL_SECONDS = 0.05


class SharedTurn:
    """A lock that one web process holds at a time. Create it before the processes are forked.

    The lock of a killed process is released. It does not lock within a process: there, callers must already exclude
    each other.
    """

    def __init__(self) -> None:
        # An unnamed file. The forked processes share it, but POSIX locks belong to a single process.
        self._file = TemporaryFile()  # noqa: SIM115 - as long as the process

    async def take(self, within_seconds: float) -> bool:
        """Wait for the lock. Return whether it was acquired in time."""
        try:
            async with asyncio.timeout(within_seconds):
                while not self._taken():
                    await asyncio.sleep(POLL_SECONDS)
        except TimeoutError:
            return False
        return True

    def release(self) -> None:
        """Release the lock. Do nothing if this process does not hold it."""
        fcntl.lockf(self._file, fcntl.LOCK_UN)

    def _taken(self) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
