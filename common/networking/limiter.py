"""An in-memory rate limiter for expensive work that unauthenticated requests can cause."""

from __future__ import annotations

import time
from threading import Lock


class FixedWindowLimiter:
    """A limit of `count` actions per fixed window of `period_seconds`, in this process. Thread-safe."""

    def __init__(self, count: int, period_seconds: float) -> None:
        self._count = count
        self._period_seconds = period_seconds
        self._lock = Lock()
        self._left = count
        self._began_at = time.monotonic()

    def take(self) -> bool:
        """Use up one action of the current window. Return False if none is left."""
        with self._lock:
            now = time.monotonic()
            if now - self._began_at >= self._period_seconds:
                self._began_at, self._left = now, self._count
            if not self._left:
                return False
            self._left -= 1
            return True
