"""Filling an empty database from an archive, and what must be done before it can be used."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

import psycopg
from django.conf import settings

from ownsona_site.backup.archive import Archive
from ownsona_site.backup.database import Parameters, connect
from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.programs import load
from ownsona_site.backup.schema import missing_migrations
from ownsona_site.backup.snapshot import count_rows

ID_GAP = 100_000
"""So many ids of memories are left out after a restore. Ids that were given away after the backup, and that apps may
still know, do not come back as those of other memories."""
SKIP_IDS = """
SELECT setval(sequence, nextval(sequence) + %s)
FROM pg_get_serial_sequence('memories_memory', 'id') AS sequence WHERE sequence IS NOT NULL
"""


def fill(database: Parameters, archive: Archive, environment: Mapping[str, str]) -> list[str]:
    """Restore the archive into an empty database; the migrations that its schema lacked and now has.

    `environment` makes `manage.py` work on that database. Raises BackupError and psycopg.Error.
    """
    load(database, archive.dump())
    with connect(database) as connection:
        _require_all_rows(count_rows(connection), archive.manifest.rows)
    missing = missing_migrations(archive.manifest.migrations)
    if missing:
        _migrate(environment)
    with connect(database) as connection:
        connection.autocommit = True
        connection.execute(SKIP_IDS, [ID_GAP])
        # A dump has no statistics, and without them the planner reads whole tables.
        connection.execute("VACUUM (ANALYZE)")
    return missing


def _require_all_rows(found: Mapping[str, int], expected: Mapping[str, int]) -> None:
    wrong = [
        f"{table} has {found.get(table, 0)} of {expected.get(table, 0)} rows"
        for table in sorted({*found, *expected})
        if found.get(table) != expected.get(table)
    ]
    if wrong:
        raise BackupError(f"Not all of the archive was restored: {'; '.join(wrong)}.")


def _migrate(environment: Mapping[str, str]) -> None:
    # In a process of its own, whose settings name the new database.
    done = subprocess.run(  # noqa: S603 - this project's own command
        [
            sys.executable,
            str(settings.BASE_DIR / "manage.py"),
            "migrate",
            "--no-input",
            "--skip-checks",
            "--verbosity=0",
        ],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise BackupError(f"The tables of the archive could not be brought up to date: {said}")


def first_line(error: psycopg.Error) -> str:
    """What a database error says, without its details."""
    return str(error).partition("\n")[0]
