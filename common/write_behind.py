"""Write-behind for small values of requests: merged in memory and written together a moment later by another thread.

For values that may be lost if a process is killed (counts, times of last use), so that no request waits for them.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from django.db import connections

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

logger = logging.getLogger(__name__)


class WriteBehind(Generic[K, V]):
    """A buffer of values by key. `merge(existing, new)` joins values of the same key; `write` stores all of them.

    Values are written `seconds` after the first one. At most `limit` keys are buffered; values of further keys are
    dropped, and so are values whose `write` failed, which is logged. The buffer is flushed at a normal exit.
    """

    def __init__(
        self, write: Callable[[dict[K, V]], None], merge: Callable[[V, V], V], *, limit: int, seconds: float
    ) -> None:
        self._write = write
        self._merge = merge
        self._limit = limit
        self._seconds = seconds
        self._lock = threading.Lock()
        self._waiting: dict[K, V] = {}
        self._timer: threading.Timer | None = None
        self._flushes_at_exit = False

    def add(self, key: K, note: V) -> None:
        """Buffer `note` to be written soon. Costs microseconds; never fails, and never waits for the database."""
        with self._lock:
            if key in self._waiting:
                self._waiting[key] = self._merge(self._waiting[key], note)
            elif len(self._waiting) < self._limit:
                self._waiting[key] = note
            # A forked process inherits the buffer, but not the timer thread that would write it.
            if self._timer is None or not self._timer.is_alive():
                self._start_timer()

    def flush(self) -> None:
        """Write the buffer in the calling thread."""
        with self._lock:
            notes, self._waiting = self._waiting, {}
        if notes:
            self._write(notes)

    def _start_timer(self) -> None:
        if not self._flushes_at_exit:
            self._flushes_at_exit = True
            atexit.register(self._flush_in_background)
        self._timer = threading.Timer(self._seconds, self._flush_in_background)
        self._timer.daemon = True
        self._timer.start()

    def _flush_in_background(self) -> None:
        """Write the buffer in a background thread, and close its database connection, which no request would close."""
        with self._lock:
            self._timer = None
        try:
            self.flush()
        except Exception:
            logger.exception("Notes about requests could not be written")
        finally:
            connections.close_all()
