"""Tests of the threads of calls: as many as there is work for, up to a limit, and none when the work is done."""

from __future__ import annotations

import threading

import pytest
from django.test import override_settings

from mcpapi.execution.call_threads import CallThreadPool
from tests.support.processes import eventually

LIMIT_SECONDS = 30.0


def alive() -> int:
    return sum(thread.name == "call" for thread in threading.enumerate())


@pytest.fixture(autouse=True)
def nobody_else() -> None:
    assert eventually(lambda: alive() == 0)


def test_no_more_threads_run_than_the_settings_say_and_all_work_is_done() -> None:
    threads, together, goes_on = CallThreadPool(), threading.Barrier(4), threading.Event()
    done: list[int] = []

    def work(number: int) -> None:
        if number < 3:
            together.wait(LIMIT_SECONDS)
        assert goes_on.wait(LIMIT_SECONDS)
        done.append(number)

    with override_settings(WEB_THREADS=3):
        for number in range(20):
            threads.submit(lambda number=number: work(number))  # type: ignore[misc] # mypy cannot see the default
        together.wait(LIMIT_SECONDS)
        assert alive() == 3
        goes_on.set()
        assert eventually(lambda: sorted(done) == list(range(20)))
        assert eventually(lambda: alive() == 0)


def test_work_that_fails_takes_no_thread_along(caplog: pytest.LogCaptureFixture) -> None:
    threads, done = CallThreadPool(), threading.Event()

    def fail() -> None:
        raise RuntimeError("the reason stands in the log")

    with override_settings(WEB_THREADS=1):
        threads.submit(fail)
        threads.submit(done.set)
        assert done.wait(LIMIT_SECONDS)
    assert "the reason stands in the log" in caplog.text
    assert eventually(lambda: alive() == 0)
