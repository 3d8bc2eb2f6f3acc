"""Trust in the wall clock, which can be wrong, be set, and go back.

Deadlines within a process use `time.monotonic`. What is dated in the database uses the wall clock, and this module says
when that may be used to delete what is old. docs/decisions/clock.md lists everything that depends on the clock.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from threading import Lock

logger = logging.getLogger(__name__)

STEP_SECONDS = 300.0
"""A clock that moves so much more, or less, than the time that has passed was set. Time servers correct by less."""

STEADY_SECONDS = 3600.0
"""How long a clock must have run evenly before anything is deleted for its age."""

TOLERANCE = timedelta(minutes=1)
"""How far in the future a time may be that this server has written, before the clock must have been set back."""


def elapsed_seconds() -> float:
    """Seconds since some fixed moment. Nobody can set this clock; on Linux it also runs while the machine sleeps."""
    boot_time = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot_time is None else time.clock_gettime(boot_time)


class ClockWatch:
    """Compares the wall clock with the time that has passed. Thread-safe.

    A process that has just started has seen too little of the clock to trust it.
    """

    def __init__(self, wall: Callable[[], float] = time.time, elapsed: Callable[[], float] = elapsed_seconds) -> None:
        self._wall = wall
        self._elapsed = elapsed
        self._lock = Lock()
        self._steady_since = elapsed()
        self._offset = wall() - self._steady_since

    def is_steady(self) -> bool:
        """Whether the clock was not set within STEADY_SECONDS, as far as the calls of this method have seen."""
        with self._lock:
            now = self._elapsed()
            offset = self._wall() - now
            step, self._offset = offset - self._offset, offset
            if abs(step) > STEP_SECONDS:
                self._steady_since = now
                logger.warning(
                    "The clock was set by %.0f seconds. In case it is wrong, nothing is deleted for its age for now.",
                    step,
                )
            return now - self._steady_since >= STEADY_SECONDS


clock_watch = ClockWatch()
"""The watch of this process."""
