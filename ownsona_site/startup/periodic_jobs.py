"""Scheduler of periodic jobs that adapts when the system clock is changed."""

from __future__ import annotations

from collections.abc import Iterable

from procrastinate import periodic
from procrastinate.periodic import PeriodicDeferrer, TaskAtTime


class ClockFollowingDeferrer(PeriodicDeferrer):
    """A deferrer that discards its last run times when the clock was set back, or far ahead.

    After a step back, the library would start no job until the clock reaches the old time again. After a step ahead, it
    would start every job in between: after a year, half a million runs of each job that starts every minute.
    """

    def get_previous_tasks(self, at: float) -> Iterable[TaskAtTime]:
        """Return the tasks that are due at `at`, in Unix seconds, each with the time for which it is due."""
        self.last_defers = {
            key: served for key, served in self.last_defers.items() if at - self.max_delay <= served <= at
        }
        return super().get_previous_tasks(at)


def follow_the_clock() -> None:
    """Make the job process use ClockFollowingDeferrer. The library has no setting for this."""
    periodic.PeriodicDeferrer = ClockFollowingDeferrer  # type: ignore[misc] # that is the point
