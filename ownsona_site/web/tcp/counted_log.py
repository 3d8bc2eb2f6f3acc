"""Log of events that anyone on the network can cause: at most one line a minute, with counts."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable

PAUSE_SECONDS = 60.0


class CountedLog:
    """Counts events and logs them in one line. Not thread-safe: it belongs to one event loop."""

    def __init__(self, logger: logging.Logger, now: Callable[[], float] = time.monotonic) -> None:
        self._logger = logger
        self._now = now
        self._counts: Counter[str] = Counter()
        self._may_log_at = 0.0

    def note(self, event: str, count: int = 1) -> None:
        """Add `count` to an event, which is a phrase such as "refused"."""
        self._counts[event] += count

    def flush(self) -> None:
        """Log the counted events, if there are any and the last line is at least PAUSE_SECONDS old."""
        now = self._now()
        self._counts = +self._counts
        if not self._counts or now < self._may_log_at:
            return
        told = ", ".join(f"{count} {event}" for event, count in sorted(self._counts.items()))
        self._logger.warning("Connections: %s. This line is logged at most once per minute.", told)
        self._counts.clear()
        self._may_log_at = now + PAUSE_SECONDS
