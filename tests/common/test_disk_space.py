"""Tests of the detection and the reporting of a full disk."""

from __future__ import annotations

import errno
import logging
import os
import time
from pathlib import Path

import psycopg
import pytest
from django.db import DatabaseError, OperationalError, connection
from pytest_django import Settings

from common import disk_space
from common.disk_space import (
    LOG_SECONDS,
    REPORTED_SECONDS,
    Level,
    clear_report,
    is_about_full_disk,
    level,
    note_full_disk,
    unless_disk_is_full,
)
from ownsona_site.configuration.log_filters import full_disk_once

MORE_THAN_ANY_DISK = 10**9


@pytest.fixture(autouse=True)
def report(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of a full-disk report that other tests do not see. The disk has enough room."""
    settings.DISK_MINIMUM_MB = settings.DISK_WARNING_MB = 0
    monkeypatch.setattr(disk_space, "_report", lambda: tmp_path / "disk_full")
    monkeypatch.setattr(disk_space, "_logged_at", float("-inf"))
    return tmp_path / "disk_full"


def error_of_postgresql() -> DatabaseError:
    """Return the error that PostgreSQL raises when it has no room."""
    with pytest.raises(DatabaseError) as raised, connection.cursor() as cursor:
        cursor.execute("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$")
    return raised.value


def test_the_free_space_decides_and_the_minimum_before_the_warning(settings: Settings) -> None:
    assert level() is Level.ENOUGH
    settings.DISK_WARNING_MB = MORE_THAN_ANY_DISK
    assert level() is Level.LOW
    settings.DISK_MINIMUM_MB = MORE_THAN_ANY_DISK
    assert level() is Level.FULL


def test_the_disk_of_the_data_folder_stops_no_database_that_is_elsewhere(settings: Settings) -> None:
    settings.DISK_MINIMUM_MB = MORE_THAN_ANY_DISK
    settings.DATABASE_URL = "postgresql://db.example/ownsona"
    assert level() is Level.LOW


def test_a_folder_that_nobody_can_look_at_counts_as_roomy(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "gone"
    settings.DISK_MINIMUM_MB = MORE_THAN_ANY_DISK
    assert level() is Level.ENOUGH


@pytest.mark.parametrize("step", [1, -1])
def test_what_postgresql_reports_holds_for_a_minute_in_all_processes(report: Path, step: int) -> None:
    note_full_disk()
    assert level() is Level.FULL
    then = time.time() - step * (REPORTED_SECONDS + 1)
    os.utime(report, (then, then))
    assert level() is Level.ENOUGH


def test_a_report_can_be_taken_back() -> None:
    note_full_disk()
    clear_report()
    assert level() is Level.ENOUGH
    clear_report()


@pytest.mark.django_db(transaction=True)
def test_the_reason_is_found_in_what_was_raised_and_in_what_caused_it() -> None:
    assert is_about_full_disk(error_of_postgresql())
    assert is_about_full_disk(OSError(errno.ENOSPC, "No space left on device"))
    wrapped = RuntimeError("a job failed")
    wrapped.__cause__ = psycopg.errors.DiskFull()
    assert is_about_full_disk(wrapped)
    for other in (None, RuntimeError(), OSError(errno.EACCES, "no"), psycopg.errors.TooManyConnections()):
        assert not is_about_full_disk(other)


def test_a_lost_connection_has_that_reason_only_while_the_disk_is_full(settings: Settings) -> None:
    lost, deadlock = OperationalError("server closed the connection"), OperationalError()
    deadlock.__cause__ = psycopg.errors.DeadlockDetected()
    assert not is_about_full_disk(lost)
    settings.DISK_MINIMUM_MB = MORE_THAN_ANY_DISK
    assert is_about_full_disk(lost)
    assert not is_about_full_disk(deadlock)


@pytest.mark.django_db(transaction=True)
def test_a_write_that_others_can_do_without_is_left_out_on_a_full_disk_only() -> None:
    with unless_disk_is_full():
        raise error_of_postgresql()
    assert level() is Level.FULL
    clear_report()
    with pytest.raises(DatabaseError), unless_disk_is_full():
        raise DatabaseError("something else")


@pytest.mark.django_db(transaction=True)
def test_a_thousand_writes_that_fail_are_one_line_a_minute(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = error_of_postgresql()
    failing = logging.LogRecord("x", logging.ERROR, "", 0, "failed", None, (type(error), error, error.__traceback__))
    assert not any(full_disk_once(failing) for _ in range(1000))
    assert len(caplog.text.splitlines()) == 1
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + LOG_SECONDS + 1)
    full_disk_once(failing)
    assert len(caplog.text.splitlines()) == 2


def test_other_lines_stay_in_the_log(settings: Settings) -> None:
    settings.DISK_MINIMUM_MB = MORE_THAN_ANY_DISK
    other = ValueError("no")
    for about in (None, (ValueError, other, None)):
        assert full_disk_once(logging.LogRecord("x", logging.ERROR, "", 0, "failed", None, about))
