"""Free disk space of the data folder, and detection of a full disk. See docs/decisions/full-disk.md for the reasons."""

from __future__ import annotations

import errno
import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError

logger = logging.getLogger(__name__)

MEGABYTE, GIGABYTE = 1_000_000, 1_000_000_000
REPORTED_SECONDS = 60.0
"""Time for which the disk counts as full after PostgreSQL reported it: its disk may be one that cannot be watched."""
LOG_SECONDS = 60.0

CONNECTION_ERRORS = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)

_REPORT = "disk_full"
_logged_at = float("-inf")


class Level(Enum):
    """Levels of free space: enough, low (a warning), and full (nothing more is stored)."""

    ENOUGH = "enough"
    LOW = "low"
    FULL = "full"


def free_bytes() -> int | None:
    """Return the free space on the disk of the data folder in bytes, or None if it is unknown."""
    return free_bytes_in(settings.DATA_DIR)


def free_bytes_in(folder: Path) -> int | None:
    """Return the free space on the disk of `folder` in bytes without root's reserve, or None if it is unknown."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def level() -> Level:
    """Return the level by free space and reported errors. Costs microseconds.

    The disk of a database on another server is not watched.
    """
    return Level.FULL if _was_reported() else level_of_space()


def level_of_space() -> Level:
    """Return the level by free space alone."""
    free = free_bytes()
    if free is None:
        return Level.ENOUGH
    if free < settings.DISK_MINIMUM_MB * MEGABYTE:
        return Level.LOW if settings.DATABASE_URL else Level.FULL
    return Level.LOW if free < settings.DISK_WARNING_MB * MEGABYTE else Level.ENOUGH


def is_full() -> bool:
    """Return whether nothing that needs more space may be stored."""
    return level() is Level.FULL


def free_space(folder: Path | None = None) -> str:
    """Return the free space on the disk of `folder`, or of the data folder, in words, such as "310 MB" or "74 GB"."""
    free = free_bytes_in(folder or settings.DATA_DIR)
    if free is None:
        return "an unknown amount"
    return f"{free // GIGABYTE} GB" if free >= 10 * GIGABYTE else f"{free // MEGABYTE} MB"


def is_about_full_disk(error: BaseException | None) -> bool:
    """Return whether a full disk caused `error`.

    True if PostgreSQL (SQLSTATE 53100) or the operating system reports that, or if the connection is lost while the
    disk is full, which PostgreSQL may not survive.
    """
    while error is not None:
        if isinstance(error, psycopg.errors.DiskFull):
            return True
        if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
            return True
        if isinstance(error, CONNECTION_ERRORS) and _is_without_answer(error) and is_full():
            return True
        error = error.__cause__ or error.__context__
    return False


def note_full_disk() -> None:
    """Report to all processes that a write failed because the disk is full. Log it at most once a minute."""
    global _logged_at  # noqa: PLW0603 - of the process
    with suppress(OSError):
        _report().touch()
    now = time.monotonic()
    if now - _logged_at >= LOG_SECONDS:
        _logged_at = now
        logger.error("The disk is full: something could not be written. %s are free in %s.", *_place())


def clear_report() -> None:
    """Remove the report of an earlier failed write, so that it does not make the disk count as full any more."""
    with suppress(OSError):
        _report().unlink(missing_ok=True)


def describe_place() -> str:
    """Return a phrase with the free space and the folder."""
    return "{} are free in {}".format(*_place())


@contextmanager
def unless_disk_is_full() -> Iterator[None]:
    """Ignore a full disk in the block, for an optional write. Do not use it in a transaction."""
    try:
        yield
    except DatabaseError as error:
        if not is_about_full_disk(error):
            raise
        note_full_disk()


def _place() -> tuple[str, Path]:
    return free_space(), Path(settings.DATA_DIR)


def _report() -> Path:
    return Path(settings.DATA_DIR) / _REPORT


def _was_reported() -> bool:
    # A file shared by all processes, because a database on a full disk cannot store it.
    try:
        age = time.time() - _report().stat().st_mtime
    except OSError:
        return False
    return abs(age) < REPORTED_SECONDS


def _is_without_answer(error: BaseException) -> bool:
    """Return whether the server did not answer: no SQLSTATE, or one of a lost connection or a shutdown."""
    said_by = error if isinstance(error, psycopg.Error) else error.__cause__
    state = getattr(said_by, "sqlstate", None)
    return state is None or state.startswith(("08", "57P"))
