"""Tests that periodic jobs continue when the clock is changed."""

from __future__ import annotations

import pytest
from procrastinate import periodic
from procrastinate.contrib.django import app

from ownsona_site.startup.periodic_jobs import ClockFollowingDeferrer, follow_the_clock

NOW = 1_800_000_030.0
YEAR = 365 * 86_400
EVERY_MINUTE = "memories.index_pending"


def due(deferrer: periodic.PeriodicDeferrer, at: float) -> list[int]:
    """Return the times for which the job of every minute is started."""
    return [time for task, time in deferrer.get_previous_tasks(at) if task.task.name == EVERY_MINUTE]


@pytest.fixture
def deferrer() -> ClockFollowingDeferrer:
    running = ClockFollowingDeferrer(registry=app.periodic_registry)
    assert due(running, NOW) == [1_800_000_000]
    return running


def test_each_minute_is_served_once(deferrer: ClockFollowingDeferrer) -> None:
    assert due(deferrer, NOW) == []
    assert due(deferrer, NOW + 120) == [1_800_000_060, 1_800_000_120]


@pytest.mark.parametrize("step", [YEAR, -YEAR])
def test_after_a_step_of_the_clock_the_job_of_this_minute_is_due_and_no_other(
    deferrer: ClockFollowingDeferrer, step: int
) -> None:
    assert due(deferrer, NOW + step) == [1_800_000_000 + step]
    assert due(deferrer, NOW + step + 60) == [1_800_000_060 + step]
    assert due(deferrer, NOW + 120) == [1_800_000_120]


def test_the_job_process_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(periodic, "PeriodicDeferrer", periodic.PeriodicDeferrer)
    follow_the_clock()
    assert periodic.PeriodicDeferrer is ClockFollowingDeferrer
