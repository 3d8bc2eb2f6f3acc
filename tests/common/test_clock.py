"""Tests of the check whether the wall clock is reliable."""

from __future__ import annotations

import subprocess
import sys

import pytest

from common.clock import STEADY_SECONDS, STEP_SECONDS, ClockWatch, elapsed_seconds
from tests.support.processes import ROOT

YEAR = 365 * 86_400.0


class Clocks:
    """A wall clock that can be set, and a monotonic clock."""

    def __init__(self) -> None:
        self.wall, self.elapsed = 1e9, 500.0
        self.watch = ClockWatch(lambda: self.wall, lambda: self.elapsed)

    def is_steady_after(self, seconds: float, *, step: float = 0.0) -> bool:
        self.elapsed += seconds
        self.wall += seconds + step
        return self.watch.is_steady()


def test_a_new_process_does_not_believe_the_clock_for_an_hour() -> None:
    clocks = Clocks()
    assert not clocks.is_steady_after(STEADY_SECONDS - 1)
    assert clocks.is_steady_after(1)


def test_a_forked_process_begins_to_watch_anew() -> None:
    script = f"""
import os
from common.clock import clock_watch
clock_watch._steady_since -= {STEADY_SECONDS}
assert clock_watch.is_steady()
child = os.fork()
if child == 0:
    os._exit(clock_watch.is_steady())
assert os.waitpid(child, 0)[1] == 0
assert clock_watch.is_steady()
"""
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


@pytest.mark.parametrize("step", [YEAR, -YEAR])
def test_a_clock_that_was_set_is_believed_an_hour_later(step: float, caplog: pytest.LogCaptureFixture) -> None:
    clocks = Clocks()
    assert clocks.is_steady_after(STEADY_SECONDS)
    assert not clocks.is_steady_after(60, step=step)
    assert not clocks.is_steady_after(STEADY_SECONDS - 1)
    assert clocks.is_steady_after(1)
    assert caplog.text.count("The clock was set") == 1


def test_a_clock_that_jumps_for_a_minute_is_not_believed_meanwhile_nor_just_after() -> None:
    clocks = Clocks()
    assert clocks.is_steady_after(STEADY_SECONDS)
    assert not clocks.is_steady_after(10, step=YEAR)
    assert not clocks.is_steady_after(60, step=-YEAR)
    assert clocks.is_steady_after(STEADY_SECONDS)


def test_what_a_time_server_corrects_is_no_step() -> None:
    clocks = Clocks()
    for _ in range(10):
        steady = clocks.is_steady_after(STEADY_SECONDS, step=STEP_SECONDS / 2)
    assert steady


def test_the_time_that_passes_never_goes_back() -> None:
    first = elapsed_seconds()
    assert elapsed_seconds() >= first
