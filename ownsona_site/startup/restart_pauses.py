"""Pauses before a process that has ended is started again."""

from __future__ import annotations

import time

LONGEST_PAUSE_SECONDS = 60.0


class RestartPauses:
    """Pauses that grow while a process ends soon after each start, up to LONGEST_PAUSE_SECONDS."""

    def __init__(self) -> None:
        self._pause_seconds = 0.0
        self._started_at = 0.0

    def started(self, in_seconds: float = 0.0) -> None:
        """Record that the process starts now, or in some seconds."""
        self._started_at = time.monotonic() + in_seconds

    def after_end(self) -> float:
        """Return the seconds to wait now that the process has ended."""
        lived_seconds = time.monotonic() - self._started_at
        grown = min(max(1.0, self._pause_seconds * 2), LONGEST_PAUSE_SECONDS)
        self._pause_seconds = 1.0 if lived_seconds > LONGEST_PAUSE_SECONDS else grown
        return self._pause_seconds
