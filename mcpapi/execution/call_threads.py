"""A small pool of threads that run pending calls; idle threads end."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from django.conf import settings
from django.db import close_old_connections, connections

from mcpapi.tool_failures import logger

IDLE_SECONDS = 10.0
"""Idle time after which a thread ends and closes its database connection. Opening one takes longer than most calls."""


class CallThreadPool:
    """A pool of at most WEB_THREADS threads, started on demand."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[Callable[[], None]] = deque()
        self._threads = 0
        self._idle = 0

    def submit(self, work: Callable[[], None]) -> None:
        """Queue `work`. It runs at once if a thread is idle or can be started, else after the work queued before it."""
        with self._changed:
            self._queue.append(work)
            if self._idle < len(self._queue) and self._threads < settings.WEB_THREADS:
                self._threads += 1
                # Daemon threads do not delay the end of the process: the shutdown itself waits for the responses.
                threading.Thread(target=self._run, name="call", daemon=True).start()
            self._changed.notify()

    def _run(self) -> None:
        while self._run_next():
            pass
        connections.close_all()

    def _run_next(self) -> bool:
        """Run the next work. Return False if none arrived within IDLE_SECONDS. Keeps no reference to finished work."""
        if (work := self._next_work()) is None:
            return False
        close_old_connections()
        try:
            work()
        except Exception:  # noqa: BLE001 - the thread has other calls to run
            logger.exception("A follow-up of a call failed unexpectedly")
        return True

    def _next_work(self) -> Callable[[], None] | None:
        """Return the next work, or None if none arrived within IDLE_SECONDS."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._queue, IDLE_SECONDS)
            self._idle -= 1
            if self._queue:
                return self._queue.popleft()
            self._threads -= 1
            return None


call_thread_pool = CallThreadPool()
