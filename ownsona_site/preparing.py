"""Bringing the database up to date before it is used, one process at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

PREPARING = 0x6F776E736F6E61
"""The key of the advisory lock under which one of several starting processes prepares the database."""


@contextmanager
def alone() -> Iterator[None]:
    """The time in which no other process prepares the database. Waits for its turn."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARING])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARING])


def update_tables() -> None:
    """Run the migrations that are missing, silently."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)
