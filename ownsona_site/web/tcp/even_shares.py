"""Numbers of open connections of the web processes, so that each takes an even share of new ones."""

from __future__ import annotations

import fcntl
import mmap
from tempfile import TemporaryFile

TOLERANCE = 8
"""Divisor: a process may have 1/`TOLERANCE` more connections than another. A flood is then accepted in batches."""

_NOBODY = -1
_BYTES = 4


class EvenShares:
    """The connections of each process, in memory that all share. Create it before the processes are forked.

    The kernel wakes all processes for a new connection. The first one to run would accept it, and all that arrived
    with it: of eight clients that connect at once, one process would have seven or eight.
    """

    def __init__(self, processes: int) -> None:
        """Prepare for `processes` processes. Further ones are never ahead, and the others ignore them."""
        self._file = TemporaryFile()  # noqa: SIM115 - as long as the process
        self._file.truncate(processes * _BYTES)
        self._counts = memoryview(mmap.mmap(self._file.fileno(), processes * _BYTES)).cast("i")
        for place in range(processes):
            self._counts[place] = _NOBODY
        self._own: int | None = None

    def join(self) -> None:
        """Take a place for this process. It is free again when the process ends, however that happens."""
        for place in range(len(self._counts)):
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except OSError:
                continue
            self._own = place
            self._counts[place] = 0
            return

    def leave(self) -> None:
        """Make the others ignore this process, because it accepts no more connections."""
        if self._own is not None:
            self._counts[self._own] = _NOBODY
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, self._own)
            self._own = None

    def publish(self, count: int) -> None:
        """Report to the other processes that this one has `count` connections."""
        if self._own is not None:
            self._counts[self._own] = count

    def is_ahead(self) -> bool:
        """Return whether another process has clearly fewer connections than this one has published."""
        if self._own is None:
            return False
        fewest = min(count for count in self._counts if count != _NOBODY)
        return self._counts[self._own] > fewest + fewest // TOLERANCE
