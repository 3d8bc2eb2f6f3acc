"""The threads that run calls which go on: a few, and none while there is nothing to do."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from django.conf import settings
from django.db import close_old_connections, connections

from mcpapi.errors import logger

IDLE_SECONDS = 10.0
"""How long a thread without work lives on, with its database connection: to open one takes longer than most calls."""


class CallThreadPool:
    """At most WEB_THREADS threads, which start when there is work."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[Callable[[], None]] = deque()
        self._threads = 0
        self._idle = 0

    def submit(self, work: Callable[[], None]) -> None:
        """Run `work`, after what was submitted before it where all threads are busy."""
        with self._changed:
            self._queue.append(work)
            if self._idle < len(self._queue) and self._threads < settings.WEB_THREADS:
                self._threads += 1
                # No thread of this kind holds up the end of a process: whoever ends it waits for the answers.
                threading.Thread(target=self._run, name="call", daemon=True).start()
            self._changed.notify()

    def _run(self) -> None:
        while self._run_next():
            pass
        connections.close_all()

    def _run_next(self) -> bool:
        """Run the next work; False when there was none for long. What was run is kept by nothing here afterwards."""
        if (work := self._next_work()) is None:
            return False
        close_old_connections()
        try:
            work()
        except Exception:  # noqa: BLE001 - the thread has other calls to run
            logger.exception("What follows from a call failed unexpectedly")
        return True

    def _next_work(self) -> Callable[[], None] | None:
        """The next work; None when there was none for long."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._queue, IDLE_SECONDS)
            self._idle -= 1
            if self._queue:
                return self._queue.popleft()
            self._threads -= 1
            return None


call_thread_pool = CallThreadPool()
