"""Tests of the job process as a gunicorn worker: how it stops, and what happens when its work ends or fails."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from unittest.mock import Mock

import pytest
from gunicorn.config import Config

from ownsona_site.startup import job_worker, jobs
from ownsona_site.startup.job_worker import JobWorker
from ownsona_site.startup.jobs import DatabaseFailed

UseWork = Callable[[Callable[[], Awaitable[None]]], None]


@pytest.fixture(autouse=True)
def short_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_worker, "HEARTBEAT_SECONDS", 0.02)
    # The name of this process.
    monkeypatch.setattr(job_worker, "NAME", "pytest")


@pytest.fixture(autouse=True)
def kept_signals() -> Iterator[None]:
    """Restore the handlers that the event loop replaces."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
    kept = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, kept, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def use_work(monkeypatch: pytest.MonkeyPatch) -> UseWork:
    return lambda work: monkeypatch.setattr(jobs, "run_jobs", work)


def make_worker(parent: int | None = None, pause_seconds: float = 0.0) -> JobWorker:
    parent = os.getppid() if parent is None else parent
    return JobWorker(1, parent, [], Mock(), 15, Config(), Mock(), pause_seconds=pause_seconds)


async def wait_forever() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
def test_a_stop_signal_lets_the_running_jobs_finish_and_a_second_one_does_not_interrupt_them(
    use_work: UseWork, number: signal.Signals
) -> None:
    finished = []

    async def work() -> None:
        signal.raise_signal(number)
        try:
            await wait_forever()
        finally:
            signal.raise_signal(number)
            await asyncio.sleep(0.1)
            finished.append("job")

    use_work(work)
    make_worker().run()
    assert finished == ["job"]


def test_while_jobs_run_gunicorn_sees_that_the_process_responds(use_work: UseWork) -> None:
    worker = make_worker()

    async def work() -> None:
        worker.tmp.notify()
        before = worker.tmp.last_update()
        await asyncio.sleep(0.2)
        assert worker.tmp.last_update() > before
        signal.raise_signal(signal.SIGTERM)
        await wait_forever()

    use_work(work)
    worker.run()


def test_jobs_stop_when_the_parent_has_died(use_work: UseWork) -> None:
    use_work(wait_forever)
    make_worker(parent=os.getpid()).run()


def test_work_that_ends_without_a_request_is_a_failure(use_work: UseWork) -> None:
    async def work() -> None:
        pass

    use_work(work)
    with pytest.raises(SystemExit) as ended:
        make_worker().run()
    assert ended.value.code == 1


def test_a_database_that_fails_is_one_line_and_a_failure(use_work: UseWork, capsys: pytest.CaptureFixture[str]) -> None:
    async def work() -> None:
        raise DatabaseFailed("The database is not usable: it is gone")

    use_work(work)
    with pytest.raises(SystemExit):
        make_worker().run()
    assert capsys.readouterr().err == "The job process is stopping: The database is not usable: it is gone\n"


def test_other_errors_are_left_to_gunicorn(use_work: UseWork) -> None:
    async def work() -> None:
        raise ValueError("a mistake")

    use_work(work)
    with pytest.raises(ValueError, match="a mistake"):
        make_worker().run()


def test_it_waits_before_it_begins_and_can_be_stopped_meanwhile(use_work: UseWork) -> None:
    begun = []

    async def work() -> None:
        begun.append(time.monotonic())
        signal.raise_signal(signal.SIGTERM)
        await wait_forever()

    use_work(work)
    before = time.monotonic()
    make_worker(pause_seconds=0.2).run()
    assert begun[0] - before >= 0.2
    worker = make_worker(parent=os.getpid(), pause_seconds=60)
    worker.run()
    assert len(begun) == 1
