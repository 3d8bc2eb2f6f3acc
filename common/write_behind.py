"""Write-behind for small values of requests: buffered in memory and written together a moment later by another thread.

For values that may be lost if a process is killed (counts, times of last use), so that no request waits for them.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Callable, Hashable, Sized
from operator import itemgetter
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from django.db import connections

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Buffer = TypeVar("Buffer", bound=Sized)

logger = logging.getLogger(__name__)

IDLE_SECONDS = 10.0
"""Time without work after which the background thread ends and closes its database connection."""


_buffers: WeakSet[WriteBehind[Any]] = WeakSet()


def flush_all() -> None:
    """Write every buffer of this process in the calling thread, and log failures. For the end of the database."""
    for buffer in list(_buffers):
        buffer.flush_safely()


class WriteBehind(Generic[Buffer]):
    """A buffer that `write` stores `seconds` after the first value was added, and at a normal exit.

    Values whose `write` failed are dropped, which is logged.
    """

    def __init__(self, write: Callable[[Buffer], None], new_buffer: Callable[[], Buffer], *, seconds: float) -> None:
        self._write = write
        self._new_buffer = new_buffer
        self._seconds = seconds
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._waiting = new_buffer()
        self._flushes_at_exit = False
        _buffers.add(self)

    def flush(self) -> None:
        """Write the buffer in the calling thread. If another thread is writing it, wait until it has finished."""
        with self._writing:
            with self._lock:
                waiting, self._waiting = self._waiting, self._new_buffer()
            if len(waiting):
                self._write(waiting)

    def flush_safely(self) -> None:
        """Write the buffer in the calling thread, and log a failure."""
        try:
            self.flush()
        except Exception:
            logger.exception("Buffered records of requests could not be written")
            connections.close_all()

    def _write_soon(self) -> None:
        """Let the background thread write the buffer. The caller holds the lock."""
        if not self._flushes_at_exit:
            self._flushes_at_exit = True
            atexit.register(self._flush_at_exit)
        _background.schedule(self.flush_safely, self._seconds)

    def _flush_at_exit(self) -> None:
        self.flush_safely()
        connections.close_all()


class BackgroundThread:
    """A thread that runs scheduled functions. It keeps its database connection until it has been idle for a while.

    A new connection for each run would take longer than the run itself.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: dict[Callable[[], None], float] = {}
        self._thread: threading.Thread | None = None

    def schedule(self, work: Callable[[], None], seconds: float) -> None:
        """Run `work` in that many seconds, unless it is scheduled already. It must not raise."""
        with self._changed:
            if work not in self._due:
                self._due[work] = time.monotonic() + seconds
                self._changed.notify()
            # A forked process inherits the schedule, but not the thread.
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="write-behind", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while work := self._next():
            for connection in connections.all(initialized_only=True):
                # The database may have restarted since the last run.
                connection.close_if_unusable_or_obsolete()
            work()
        connections.close_all()

    def _next(self) -> Callable[[], None] | None:
        """Wait for the next work that is due and return it; None if there was none for IDLE_SECONDS."""
        with self._changed:
            idle_until = time.monotonic() + IDLE_SECONDS
            while (now := time.monotonic()) < idle_until or self._due:
                work, due_at = min(self._due.items(), key=itemgetter(1), default=(None, idle_until))
                if work is not None and due_at <= now:
                    del self._due[work]
                    return work
                self._changed.wait(due_at - now)
            self._thread = None
            return None


_background = BackgroundThread()


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
