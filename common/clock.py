"""Reliability of the wall clock, which can be wrong and can be set, also backwards.

Deadlines within a process use `time.monotonic`. Times in the database use the wall clock, and this module decides when
that may be used to delete old rows. docs/decisions/clock.md lists everything that depends on the clock.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from datetime import timedelta
from threading import Lock

logger = logging.getLogger(__name__)

STEP_SECONDS = 300.0
"""Smallest deviation from the elapsed time that counts as a set clock. Time servers correct by less."""

STEADY_SECONDS = 3600.0
"""Time for which a clock must have run without being set before anything is deleted for its age."""

TOLERANCE = timedelta(minutes=1)
"""Largest lead of a stored time over the clock. A larger lead means that the clock was set back."""


def elapsed_seconds() -> float:
    """Return the seconds since a fixed moment, by a clock that cannot be set. On Linux it includes time asleep."""
    boot_time = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot_time is None else time.clock_gettime(boot_time)


class ClockWatch:
    """A watch that compares the wall clock with the elapsed time. Thread-safe.

    The clock is not steady until the process has watched it for STEADY_SECONDS.
    """

    def __init__(self, wall: Callable[[], float] = time.time, elapsed: Callable[[], float] = elapsed_seconds) -> None:
        self._wall = wall
        self._elapsed = elapsed
        self.begin()

    def begin(self) -> None:
        """Begin to watch, as a new process. The clock is not steady yet."""
        self._lock = Lock()
        self._steady_since = self._elapsed()
        self._offset = self._wall() - self._steady_since

    def is_steady(self) -> bool:
        """Return whether the clock was not set within STEADY_SECONDS, as far as calls of this method could observe."""
        with self._lock:
            now = self._elapsed()
            offset = self._wall() - now
            step, self._offset = offset - self._offset, offset
            if abs(step) > STEP_SECONDS:
                self._steady_since = now
                logger.warning(
                    "The clock was set by %.0f seconds. In case it is wrong, nothing is deleted because of its "
                    "age for now.",
                    step,
                )
            return now - self._steady_since >= STEADY_SECONDS


clock_watch = ClockWatch()
"""The watch of this process."""
os.register_at_fork(after_in_child=clock_watch.begin)
