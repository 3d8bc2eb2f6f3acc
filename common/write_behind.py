"""Small notes that requests leave behind: merged in memory, written together a moment later, by a thread of their own.

For what may be lost when a process is killed (counts, times of last use), so that no request waits for it.
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
    """Notes by key: `merge(kept, new)` joins two of the same key, `write` stores all that have gathered.

    At most `limit` keys wait at a time, for `seconds`; what comes beyond them is dropped, and so are notes whose
    `write` failed, with a line in the log. Whatever waits when the process ends in order is written then.
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
        """Keep `note` to be written soon. Costs microseconds; never fails, never waits for the database."""
        with self._lock:
            if key in self._waiting:
                self._waiting[key] = self._merge(self._waiting[key], note)
            elif len(self._waiting) < self._limit:
                self._waiting[key] = note
            # A fork takes the waiting notes along, but not the thread that would write them.
            if self._timer is None or not self._timer.is_alive():
                self._start_timer()

    def flush(self) -> None:
        """Write what waits, in the calling thread."""
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
        """Write in a thread that has no request, whose database connection would otherwise stay open."""
        with self._lock:
            self._timer = None
        try:
            self.flush()
        except Exception:
            logger.exception("Notes about requests could not be written")
        finally:
            connections.close_all()
