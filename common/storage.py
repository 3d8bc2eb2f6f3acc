"""How full the disk of the data folder is, and what that still allows. docs/decisions/full-disk.md says why so."""

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

MEGABYTE = 1_000_000
REPORTED_SECONDS = 60.0
"""How long the disk counts as full after PostgreSQL has said so: its disk may be one that nobody here can watch."""
LOG_SECONDS = 60.0

CONNECTION_ERRORS = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)

_REPORT = "disk_full"
_logged_at = float("-inf")


class Level(Enum):
    """What the free space allows: everything, everything with a warning, or nothing that stores more."""

    ENOUGH = "enough"
    LOW = "low"
    FULL = "full"


def free_bytes() -> int | None:
    """The free space on the disk of the data folder, as `free_bytes_in`."""
    return free_bytes_in(settings.DATA_DIR)


def free_bytes_in(folder: Path) -> int | None:
    """The free space on the disk of `folder`, as far as others than root may use it; None if nobody can say."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def level() -> Level:
    """How it is now. Costs microseconds. The data of a database elsewhere is on a disk that is not watched."""
    return Level.FULL if _was_reported() else level_of_space()


def level_of_space() -> Level:
    """How it is by the free space alone."""
    free = free_bytes()
    if free is None:
        return Level.ENOUGH
    if free < settings.DISK_MINIMUM_MB * MEGABYTE:
        return Level.LOW if settings.DATABASE_URL else Level.FULL
    return Level.LOW if free < settings.DISK_WARNING_MB * MEGABYTE else Level.ENOUGH


def is_full() -> bool:
    """Whether nothing that needs more space may be stored."""
    return level() is Level.FULL


def free_space() -> str:
    """The free space in words, such as "310 MB"."""
    free = free_bytes()
    return "an unknown amount" if free is None else f"{free // MEGABYTE} MB"


def is_about_full_disk(error: BaseException | None) -> bool:
    """Whether a full disk is the reason of `error`: PostgreSQL says so (SQLSTATE 53100), the system does, or the
    connection is gone while the disk is full, which PostgreSQL may not survive."""
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
    """Have all processes know that something could not be written, and say so in the log, once a minute."""
    global _logged_at  # noqa: PLW0603 - of the process
    with suppress(OSError):
        _report().touch()
    now = time.monotonic()
    if now - _logged_at >= LOG_SECONDS:
        _logged_at = now
        logger.error("The disk is full: something could not be written. %s are free in %s.", *_place())


def forget_report() -> None:
    """Count the disk as full no longer because of an earlier write that failed."""
    with suppress(OSError):
        _report().unlink(missing_ok=True)


def describe_place() -> str:
    """How much is free, and where."""
    return "{} are free in {}".format(*_place())


@contextmanager
def unless_disk_is_full() -> Iterator[None]:
    """Do in here a write that others can do without: where the disk is full it is left out. Not in a transaction."""
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
    # A file, for all processes: the database cannot take a note of it.
    try:
        age = time.time() - _report().stat().st_mtime
    except OSError:
        return False
    return abs(age) < REPORTED_SECONDS


def _is_without_answer(error: BaseException) -> bool:
    """Whether the server was not there to answer a statement: no SQLSTATE, or one that says that it stops."""
    said_by = error if isinstance(error, psycopg.Error) else error.__cause__
    state = getattr(said_by, "sqlstate", None)
    return state is None or state.startswith(("08", "57P"))
