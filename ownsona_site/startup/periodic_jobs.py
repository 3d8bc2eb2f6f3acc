"""Periodic jobs whose times follow the clock when it is set."""

from __future__ import annotations

from collections.abc import Iterable

from procrastinate import periodic
from procrastinate.periodic import PeriodicDeferrer, TaskAtTime


class ClockFollowingDeferrer(PeriodicDeferrer):
    """Forgets which time it has served last when the clock went back, or a long way ahead.

    The library would start nothing until the clock is there again, or all that would have started in between: after a
    jump of a year half a million jobs for each that starts every minute.
    """

    def get_previous_tasks(self, at: float) -> Iterable[TaskAtTime]:
        """The tasks that are due at `at`, in Unix seconds, each with the time that it is due for."""
        self.last_defers = {
            key: served for key, served in self.last_defers.items() if at - self.max_delay <= served <= at
        }
        return super().get_previous_tasks(at)


def follow_the_clock() -> None:
    """Have the job process use it: the library has no setting for that."""
    periodic.PeriodicDeferrer = ClockFollowingDeferrer  # type: ignore[misc] # that is the point
