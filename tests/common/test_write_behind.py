"""Tests of rows that are written a moment later: merged, bounded, and never blocking the caller."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from common.write_behind import AppendBehind, BackgroundThread, MergeBehind, WriteBehind, flush_all
from tests.support.processes import eventually

ROOT = Path(__file__).resolve().parents[2]
WRITE_SOON = WriteBehind._write_soon


@pytest.fixture
def written() -> list[dict[str, int]]:
    return []


def notes(written: list[dict[str, int]], limit: int = 10) -> MergeBehind[str, int]:
    return MergeBehind(written.append, lambda kept, new: kept + new, limit=limit, seconds=0.01)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The background thread, which other tests switch off."""
    monkeypatch.setattr(WriteBehind, "_write_soon", WRITE_SOON)
    monkeypatch.setattr("common.write_behind.atexit.register", lambda function: function)


def test_notes_of_one_key_are_merged(written: list[dict[str, int]]) -> None:
    buffer = notes(written)
    for key, note in (("a", 1), ("b", 2), ("a", 3)):
        buffer.add(key, note)
    buffer.flush()
    buffer.flush()
    assert written == [{"a": 4, "b": 2}]


def test_only_so_many_keys_wait(written: list[dict[str, int]]) -> None:
    buffer = notes(written, limit=2)
    for key in ("a", "b", "c", "a"):
        buffer.add(key, 1)
    buffer.flush()
    assert written == [{"a": 2, "b": 1}]


def test_values_without_a_key_keep_their_order_and_only_so_many_wait() -> None:
    written: list[list[int]] = []
    buffer = AppendBehind[int](written.append, limit=2, seconds=0.01)
    for value in (3, 1, 2):
        buffer.add(value)
    buffer.flush()
    buffer.flush()
    assert written == [[3, 1]]


def test_nobody_needs_to_ask_for_it(threads: None) -> None:
    done = threading.Event()
    buffer = MergeBehind[str, int](lambda notes: done.set(), max, limit=10, seconds=0.01)
    buffer.add("a", 1)
    assert done.wait(30)


def test_all_buffers_are_written_on_request(written: list[dict[str, int]], caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: dict[str, int]) -> None:
        raise ValueError("not today")

    failing = MergeBehind[str, int](fail, max, limit=10, seconds=600)
    first, second = notes(written), notes(written)
    for buffer, key in ((first, "a"), (failing, "b"), (second, "c")):
        buffer.add(key, 1)
    with caplog.at_level(logging.CRITICAL, logger="common.write_behind"):
        flush_all()
    assert sorted(written, key=str) == [{"a": 1}, {"c": 1}]


def test_what_another_thread_is_writing_is_waited_for() -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def write(_: list[int]) -> None:
        begun.set()
        assert go_on.wait(30)
        ended.set()

    buffer = AppendBehind[int](write, limit=10, seconds=600)
    buffer.add(1)
    writer = threading.Thread(target=buffer.flush)
    writer.start()
    assert begun.wait(30)
    threading.Timer(0.2, go_on.set).start()
    flush_all()
    assert ended.is_set()
    writer.join(30)


def test_what_waits_when_a_process_ends_is_written() -> None:
    program = """
from django.conf import settings
from common.write_behind import MergeBehind
settings.configure()
MergeBehind(print, max, limit=10, seconds=600).add("a", 1)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], check=True, cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (ended.stdout, ended.stderr) == ("{'a': 1}\n", "")


def test_after_a_failure_later_notes_are_written(threads: None, caplog: pytest.LogCaptureFixture) -> None:
    failed, done = threading.Event(), threading.Event()

    def write(notes: dict[str, int]) -> None:
        if "bad" in notes:
            failed.set()
            raise ValueError("not today")
        done.set()

    buffer = MergeBehind[str, int](write, max, limit=10, seconds=0.01)
    with caplog.at_level(logging.CRITICAL, logger="common.write_behind"):
        buffer.add("bad", 1)
        assert failed.wait(30)
        buffer.add("good", 1)
        assert done.wait(30)


def test_many_threads_lose_no_note(written: list[dict[str, int]]) -> None:
    buffer = notes(written)

    def work() -> None:
        for _ in range(1000):
            buffer.add("a", 1)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    buffer.flush()
    assert written == [{"a": 8000}]


def test_one_thread_runs_what_is_due_once_and_in_its_order_and_ends_when_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("common.write_behind.IDLE_SECONDS", 0.2)
    background, ran, threads = BackgroundThread(), list[str](), set[threading.Thread]()

    def work(name: str) -> None:
        ran.append(name)
        threads.add(threading.current_thread())

    later, sooner = partial(work, "later"), partial(work, "sooner")
    background.schedule(later, 0.1)
    background.schedule(sooner, 0.02)
    background.schedule(sooner, 0.03)
    assert eventually(lambda: len(ran) == 2, 30)
    background.schedule(sooner, 0.0)
    assert eventually(lambda: len(ran) == 3, 30)
    assert ran == ["sooner", "later", "sooner"]
    (thread,) = threads
    thread.join(30)
    assert not thread.is_alive()
    background.schedule(later, 0.0)
    assert eventually(lambda: len(ran) == 4, 30)
