"""One-line explanations of database errors, with the fix."""

from __future__ import annotations

from django.db import OperationalError
from psycopg import errors

NOT_PREPARED = (
    "The database is not ready: it has no tables yet, or those of another version. Start OwnSona once (make run, or "
    "manage.py serve), then run this again."
)


class NotPrepared(Exception):
    """The tables are missing or belong to another version of OwnSona."""

    def __init__(self) -> None:
        super().__init__(NOT_PREPARED)


_MISSING = (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction)


def explained(error: BaseException) -> str | None:
    """Return the problem with the database and the fix, or None for errors that the user of a command cannot fix."""
    if isinstance(error, _MISSING) or isinstance(error.__cause__, _MISSING):
        return NOT_PREPARED
    if isinstance(error, OperationalError | errors.OperationalError):
        return f"The database is not usable: {str(error).partition(chr(10))[0]}"
    return None
