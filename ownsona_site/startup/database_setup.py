"""Bringing the database up to date before it is used, one process at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from common.advisory_locks import AdvisoryLock, locked
from ownsona_site.startup.database_errors import NotPrepared
from ownsona_site.startup.owner_account import ensure_account


@contextmanager
def preparation_lock() -> Iterator[None]:
    """The time in which no other process prepares the database. Waits for its turn."""
    with locked(AdvisoryLock.DATABASE_PREPARATION):
        yield


def prepare_new_database() -> None:
    """Make tables and owner of a database that was never used.

    Tables of another version are left alone, since the version that they belong to may be running: raises NotPrepared
    then. Raises UsernameTaken.
    """
    with preparation_lock():
        if "django_migrations" not in connection.introspection.table_names():
            run_migrations()
            ensure_account()
        elif _lacks_migrations():
            raise NotPrepared


def run_migrations() -> None:
    """Run the migrations that are missing, silently."""
    if _lacks_migrations():
        call_command("migrate", interactive=False, verbosity=0)


def _lacks_migrations() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
