"""How often something expensive may be done at a stranger's word."""

from __future__ import annotations

import time
from threading import Lock


class FixedWindowLimiter:
    """`count` times in each period of `period_seconds`, in this process."""

    def __init__(self, count: int, period_seconds: float) -> None:
        self._count = count
        self._period_seconds = period_seconds
        self._lock = Lock()
        self._left = count
        self._began_at = time.monotonic()

    def take(self) -> bool:
        """Whether it may be done once more now."""
        with self._lock:
            now = time.monotonic()
            if now - self._began_at >= self._period_seconds:
                self._began_at, self._left = now, self._count
            if not self._left:
                return False
            self._left -= 1
            return True
