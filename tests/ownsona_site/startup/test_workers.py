"""Tests of the choice between web processes and the job process, in gunicorn's parent process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from unittest.mock import Mock

import pytest
from django.conf import settings
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.workers.base import Worker

from ownsona_site.startup.job_worker import JobWorker
from ownsona_site.startup.workers import Workers
from ownsona_site.web.worker import WebWorker

CHANGING = (signal.SIGHUP, signal.SIGTTIN, signal.SIGTTOU)
WEB, JOBS = WebWorker, JobWorker


@pytest.fixture(autouse=True)
def kept_signals() -> Iterator[None]:
    kept = [signal.getsignal(number) for number in CHANGING]
    yield
    for number, handler in zip(CHANGING, kept, strict=True):
        signal.signal(number, handler)


class Parent:
    """Gunicorn's parent process, with two web processes. It forks nothing."""

    def __init__(self) -> None:
        self._workers = Workers()
        self._age = 0

    def fork(self) -> type[Worker]:
        self._age += 1
        worker = self._workers.create(self._age, os.getpid(), [], Mock(), 15, Config(), Mock())
        Arbiter.WORKERS[self._age] = worker
        return type(worker)

    def end(self, kind: type[Worker]) -> None:
        del Arbiter.WORKERS[next(age for age, worker in Arbiter.WORKERS.items() if isinstance(worker, kind))]


@pytest.fixture
def parent(monkeypatch: pytest.MonkeyPatch) -> Parent:
    monkeypatch.setattr(Arbiter, "WORKERS", {})
    monkeypatch.setattr(settings, "WEB_CONCURRENCY", 2)
    return Parent()


def test_the_web_processes_are_first_and_the_job_process_is_last(parent: Parent) -> None:
    assert [parent.fork() for _ in range(3)] == [WEB, WEB, JOBS]


@pytest.mark.parametrize("kind", [WEB, JOBS])
def test_a_process_that_ended_is_replaced_by_one_of_its_kind(parent: Parent, kind: type[Worker]) -> None:
    for _ in range(3):
        parent.fork()
    parent.end(kind)
    assert parent.fork() is kind


def test_there_is_never_a_second_job_process(parent: Parent) -> None:
    assert [parent.fork() for _ in range(4)] == [WEB, WEB, JOBS, WEB]


def test_once_there_is_a_job_process_signals_cannot_change_the_number_of_processes(parent: Parent) -> None:
    for _ in range(3):
        parent.fork()
    assert [signal.getsignal(number) for number in CHANGING] == [signal.SIG_IGN] * 3


def test_a_job_process_that_keeps_ending_begins_after_growing_pauses(
    parent: Parent, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Mock(return_value=1000.0)
    monkeypatch.setattr(time, "monotonic", clock)
    parent.fork(), parent.fork()

    def pause_after_a_life_of(seconds: float) -> float:
        parent.fork()
        (jobs,) = (worker for worker in Arbiter.WORKERS.values() if isinstance(worker, JOBS))
        clock.return_value += jobs._pause_seconds + seconds
        parent.end(JOBS)
        return jobs._pause_seconds

    assert [pause_after_a_life_of(5.0) for _ in range(9)] == [0, 1, 2, 4, 8, 16, 32, 60, 60]
    # The time for which it waits is not part of its life.
    assert pause_after_a_life_of(70.0) == 60
    assert pause_after_a_life_of(5.0) == 1
    assert capsys.readouterr().err.startswith("The job process ended unexpectedly. It restarts in 1 s.\n")
