"""Write-behind for small values of requests: buffered in memory and written together a moment later by another thread.

For values that may be lost if a process is killed (counts, times of last use), so that no request waits for them.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable, Hashable, Sized
from typing import Generic, TypeVar

from django.db import connections

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Buffer = TypeVar("Buffer", bound=Sized)

logger = logging.getLogger(__name__)


class WriteBehind(Generic[Buffer]):
    """A buffer that `write` stores `seconds` after the first value was added, and at a normal exit.

    Values whose `write` failed are dropped, which is logged.
    """

    def __init__(self, write: Callable[[Buffer], None], new_buffer: Callable[[], Buffer], *, seconds: float) -> None:
        self._write = write
        self._new_buffer = new_buffer
        self._seconds = seconds
        self._lock = threading.Lock()
        self._waiting = new_buffer()
        self._timer: threading.Timer | None = None
        self._flushes_at_exit = False

    def flush(self) -> None:
        """Write the buffer in the calling thread."""
        with self._lock:
            waiting, self._waiting = self._waiting, self._new_buffer()
        if len(waiting):
            self._write(waiting)

    def _write_soon(self) -> None:
        """Start the timer if none is running. The caller holds the lock."""
        # A forked process inherits the buffer, but not the timer thread that would write it.
        if self._timer is None or not self._timer.is_alive():
            self._start_timer()

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
            logger.exception("Buffered records of requests could not be written")
        finally:
            connections.close_all()


class AppendBehind(WriteBehind[list[V]]):
    """A buffer of at most `limit` values, written in their order. Further values are dropped."""

    def __init__(self, write: Callable[[list[V]], None], *, limit: int, seconds: float) -> None:
        super().__init__(write, list, seconds=seconds)
        self._limit = limit

    def add(self, value: V) -> None:
        """Buffer `value` to be written soon. Costs microseconds; never fails, and never waits for the database."""
        with self._lock:
            if len(self._waiting) < self._limit:
                self._waiting.append(value)
            self._write_soon()


class MergeBehind(WriteBehind[dict[K, V]]):
    """A buffer of values by key. `merge(existing, new)` joins values of the same key.

    At most `limit` keys are buffered. Values of further keys are dropped.
    """

    def __init__(
        self, write: Callable[[dict[K, V]], None], merge: Callable[[V, V], V], *, limit: int, seconds: float
    ) -> None:
        super().__init__(write, dict, seconds=seconds)
        self._merge = merge
        self._limit = limit

    def add(self, key: K, value: V) -> None:
        """Buffer `value` to be written soon. Costs microseconds; never fails, and never waits for the database."""
        with self._lock:
            if key in self._waiting:
                self._waiting[key] = self._merge(self._waiting[key], value)
            elif len(self._waiting) < self._limit:
                self._waiting[key] = value
            self._write_soon()
