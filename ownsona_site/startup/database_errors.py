"""Errors of a database that is not ready, in one line that says what to do."""

from __future__ import annotations

from django.db import OperationalError
from psycopg import errors

NOT_PREPARED = (
    "The database is not prepared: it has no tables yet, or those of another version. Start OwnSona once (make run, or "
    "manage.py serve), then run this again."
)


class NotPrepared(Exception):
    """The tables are those of another version."""

    def __init__(self) -> None:
        super().__init__(NOT_PREPARED)


_MISSING = (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction)


def explained(error: BaseException) -> str | None:
    """What is wrong with the database and what to do; None where the user of a command can do nothing about it."""
    if isinstance(error, _MISSING) or isinstance(error.__cause__, _MISSING):
        return NOT_PREPARED
    if isinstance(error, OperationalError | errors.OperationalError):
        return f"The database cannot be used: {str(error).partition(chr(10))[0]}"
    return None
