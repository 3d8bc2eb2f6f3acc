"""A turn that one process of the application has at a time."""

from __future__ import annotations

import asyncio
import fcntl
from tempfile import TemporaryFile

POLL_SECONDS = 0.05


class SharedTurn:
    """Made before the processes are forked. A process that is killed loses its turn to the others.

    Within one process it is no lock: what takes it there must be alone already.
    """

    def __init__(self) -> None:
        # A file without a name; locks of POSIX belong to processes, though they share it.
        self._file = TemporaryFile()  # noqa: SIM115 - as long as the process

    async def take(self, within_seconds: float) -> bool:
        """Wait for the turn; False where it did not come in time."""
        try:
            async with asyncio.timeout(within_seconds):
                while not self._taken():
                    await asyncio.sleep(POLL_SECONDS)
        except TimeoutError:
            return False
        return True

    def release(self) -> None:
        """Let another process have it; nothing where this one does not have it."""
        fcntl.lockf(self._file, fcntl.LOCK_UN)

    def _taken(self) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
