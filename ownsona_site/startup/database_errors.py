"""One-line explanations of database errors, with the fix."""

from __future__ import annotations

from django.conf import settings
from django.db import OperationalError
from psycopg import errors


class NotPrepared(Exception):
    """The tables are missing or belong to another version of OwnSona."""

    def __init__(self) -> None:
        super().__init__(not_prepared())


def database_place() -> str:
    """Return where the database is: the data folder, or the name of the setting, whose value has a password."""
    return "DATABASE_URL" if settings.DATABASE_URL else str(settings.DATA_DIR)


def not_prepared() -> str:
    """Return the problem of a database without tables. Mostly it is a new one in a folder that was not meant."""
    return (
        f"The database in {database_place()} is not ready: it has no tables yet, or those of another version. If your "
        "memories are elsewhere, give this command the settings of the server (OWNSONA_DATA_DIR, DATABASE_URL). "
        "Otherwise, start OwnSona once (make run, or manage.py serve), then run this again."
    )


_MISSING = (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction)


def explained(error: BaseException) -> str | None:
    """Return the problem with the database and the fix, or None for errors that the user of a command cannot fix."""
    if isinstance(error, _MISSING) or isinstance(error.__cause__, _MISSING):
        return not_prepared()
    if isinstance(error, OperationalError | errors.OperationalError):
        return f"The database is not usable: {str(error).partition(chr(10))[0]}"
    return None
