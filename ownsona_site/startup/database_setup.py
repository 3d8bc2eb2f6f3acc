"""Preparation of the database before use, by one process at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from common.advisory_locks import AdvisoryLock, locked
from ownsona_site.startup.database_errors import NotPrepared
from ownsona_site.startup.new_tables import create_tables
from ownsona_site.startup.owner_account import ensure_account


@contextmanager
def preparation_lock() -> Iterator[None]:
    """Keep other processes from preparing the database during the block. Wait until they are done."""
    with locked(AdvisoryLock.DATABASE_PREPARATION):
        yield


def prepare_new_database() -> None:
    """Create the tables and the owner in a new database.

    Raises NotPrepared if migrations are missing in a database that is not new. They are not run here, since the version
    that the tables belong to may be running. Raises UsernameTaken.
    """
    with preparation_lock():
        if _is_new():
            run_migrations()
            ensure_account()
        elif _lacks_migrations():
            raise NotPrepared


def run_migrations() -> None:
    """Run the missing migrations without output."""
    if not _lacks_migrations():
        return
    if _is_new():
        create_tables()
    # In a new database, this only adds the rows that Django keeps about models.
    call_command("migrate", interactive=False, verbosity=0)


def _is_new() -> bool:
    return "django_migrations" not in connection.introspection.table_names()


def _lacks_migrations() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
