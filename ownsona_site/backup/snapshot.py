"""A consistent snapshot of the database, shared by the dump and the manifest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg import sql

TABLES = """
SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE relkind = 'r' AND nspname !~ '^pg_' AND nspname <> 'information_schema'
  AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
ORDER BY 1, 2
"""
FACTS = """
SELECT pg_export_snapshot(), statement_timestamp(), current_setting('server_version'),
       pg_database_size(current_database()),
       (SELECT extversion FROM pg_extension WHERE extname = 'vector')
"""
FORGOTTEN = "SELECT count(*) FROM memories_memory WHERE deleted_at IS NOT NULL"
MIGRATIONS = "SELECT app, name FROM django_migrations ORDER BY id"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of the database at one moment. pg_dump uses `name` to read that state while the snapshot is open."""

    name: str
    taken_at: datetime
    postgresql_version: str
    database_bytes: int
    pgvector_version: str | None
    migrations: dict[str, list[str]]
    rows: dict[str, int]
    forgotten_memories: int


@contextmanager
def open_snapshot(connection: psycopg.Connection) -> Iterator[Snapshot]:
    """Keep a snapshot open for the duration of the block. It does not block writes. Raises psycopg.Error."""
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    with connection.transaction():
        # The transaction is idle while pg_dump runs, which may take longer than the server's timeout.
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        row = connection.execute(FACTS).fetchone()
        assert row is not None, "it has no condition"
        name, taken_at, server_version, size, pgvector = row
        yield Snapshot(
            name=name,
            taken_at=taken_at,
            postgresql_version=server_version.partition(" ")[0],
            database_bytes=size,
            pgvector_version=pgvector,
            migrations=_migrations(connection),
            rows=count_rows(connection),
            forgotten_memories=(connection.execute(FORGOTTEN).fetchone() or (0,))[0],
        )


def count_rows(connection: psycopg.Connection) -> dict[str, int]:
    """Count the rows of every table. Keys are table names, with the schema unless it is `public`."""
    counts = {}
    for schema, table in connection.execute(TABLES).fetchall():
        counted = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, table)))
        name = table if schema == "public" else f"{schema}.{table}"
        counts[name] = (counted.fetchone() or (0,))[0]
    return counts


def _migrations(connection: psycopg.Connection) -> dict[str, list[str]]:
    applied: dict[str, list[str]] = {}
    for app, name in connection.execute(MIGRATIONS).fetchall():
        applied.setdefault(app, []).append(name)
    return applied
