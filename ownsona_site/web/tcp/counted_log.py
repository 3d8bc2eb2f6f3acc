"""Log lines about what strangers cause: one a minute at most, with how often it happened."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable

PAUSE_SECONDS = 60.0


class CountedLog:
    """Counts events and logs them together. Not thread-safe: it belongs to one event loop."""

    def __init__(self, logger: logging.Logger, now: Callable[[], float] = time.monotonic) -> None:
        self._logger = logger
        self._now = now
        self._counts: Counter[str] = Counter()
        self._may_log_at = 0.0

    def note(self, event: str, count: int = 1) -> None:
        """Count an event, a phrase such as "refused", so many times."""
        self._counts[event] += count

    def flush(self) -> None:
        """Log what was counted, if there is anything and the last line is a minute old."""
        now = self._now()
        self._counts = +self._counts
        if not self._counts or now < self._may_log_at:
            return
        told = ", ".join(f"{count} {event}" for event, count in sorted(self._counts.items()))
        self._logger.warning("Connections: %s. The next such line comes in a minute at the earliest.", told)
        self._counts.clear()
        self._may_log_at = now + PAUSE_SECONDS
