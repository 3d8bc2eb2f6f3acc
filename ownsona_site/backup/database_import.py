"""The import of an archive into an empty database, with the work needed before the database can be used."""

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
"""The number of memory ids that are skipped after a restore. Ids that were assigned after the backup may still be known
to apps, and must not be reused for other memories."""
SKIP_IDS = """
SELECT setval(sequence, nextval(sequence) + %s)
FROM pg_get_serial_sequence('memories_memory', 'id') AS sequence WHERE sequence IS NOT NULL
"""


def fill(database: Parameters, archive: Archive, environment: Mapping[str, str]) -> list[str]:
    """Restore the archive into an empty database. Return the migrations that its schema lacked and that were run.

    `environment` has the variables that make `manage.py` use that database. Raises BackupError and psycopg.Error.
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
        # A dump has no statistics. Without them the planner scans whole tables.
        connection.execute("VACUUM (ANALYZE)")
    return missing


def _require_all_rows(found: Mapping[str, int], expected: Mapping[str, int]) -> None:
    wrong = [
        f"{table} has {found.get(table, 0)} of {expected.get(table, 0)} rows"
        for table in sorted({*found, *expected})
        if found.get(table) != expected.get(table)
    ]
    if wrong:
        raise BackupError(f"The archive was not restored completely: {'; '.join(wrong)}.")


def _migrate(environment: Mapping[str, str]) -> None:
    # In a process of its own, since this process's settings name another database.
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
        said = (done.stderr.strip().splitlines() or ["it printed no message"])[-1]
        raise BackupError(f"The tables of the archive could not be migrated: {said}")


def first_line(error: psycopg.Error) -> str:
    """Return the message of a database error without its details."""
    return str(error).partition("\n")[0]
