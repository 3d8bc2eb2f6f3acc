"""Bringing the database up to date before it is used, one process at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from common.advisory_locks import AdvisoryLock, locked


@contextmanager
def alone() -> Iterator[None]:
    """The time in which no other process prepares the database. Waits for its turn."""
    with locked(AdvisoryLock.DATABASE_PREPARATION):
        yield


def update_tables() -> None:
    """Run the migrations that are missing, silently."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)
