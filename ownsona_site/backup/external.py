"""The restore of an archive into the empty database that DATABASE_URL names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS

from ownsona_site.backup.archive import Archive
from ownsona_site.backup.database import configured_database, connect
from ownsona_site.backup.database_import import fill, first_line
from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.keys import write_key
from ownsona_site.backup.manifest import Manifest
from ownsona_site.backup.owner_files import restore_files
from ownsona_site.backup.restore_paths import BEFORE
from ownsona_site.backup.restore_report import Restored
from ownsona_site.configuration.checks import check_database, in_one_line
from ownsona_site.configuration.data_directory import create_data_directory

OCCUPANTS = """
SELECT nspname || '.' || relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
  AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
ORDER BY 1 LIMIT 1
"""


def restore_database(archive: Archive, data_directory: Path) -> Restored:
    """Import the archive into the configured database in one transaction, and install its secret key.

    Raises BackupError, OSError, and psycopg.Error.
    """
    if errors := check_database([DEFAULT_DB_ALIAS]):
        raise BackupError(in_one_line(errors[0]))
    database = configured_database()
    with connect(database) as connection:
        _require_empty(connection)
        _require_new_enough(connection, archive.manifest)
    with _key_in_place(archive, data_directory) as old_key:
        try:
            migrations = fill(database, archive, {})
        except psycopg.Error as error:
            raise BackupError(f"The database could not be restored: {first_line(error)}") from error
    restore_files(archive, data_directory, data_directory)
    return Restored(migrations, "in the database of DATABASE_URL", old_key)


def _require_empty(connection: psycopg.Connection) -> None:
    if found := connection.execute(OCCUPANTS).fetchone():
        raise BackupError(
            f"DATABASE_URL: the database is not empty: it has {found[0]}, for example. Create a new one, and set "
            "DATABASE_URL to it. Nothing was changed."
        )


def _require_new_enough(connection: psycopg.Connection, manifest: Manifest) -> None:
    major, needed = connection.info.server_version // 10_000, int(manifest.postgresql_version.partition(".")[0])
    if major < needed:
        raise BackupError(
            f"DATABASE_URL: the server is PostgreSQL {major}, but the archive is of PostgreSQL {needed}. Use a "
            "server of that version or a newer one. Export and import of memories work between any versions."
        )


@contextmanager
def _key_in_place(archive: Archive, data_directory: Path) -> Iterator[Path | None]:
    """Install the key of the archive in the data folder. Yield the new path of the old key, or None.

    After an error the old key is put back.
    """
    key = archive.secret_key()
    if key is None or not settings.SECRET_KEY_IN_DATA_DIR:
        yield None
        return
    create_data_directory(data_directory)
    path = data_directory / "secret_key"
    old = path.read_bytes() if path.exists() else None
    if old == key.encode():
        yield None
        return
    aside = path.with_name(f"secret_key.{BEFORE}{datetime.now(UTC):%Y-%m-%d-%H%M%S}") if old is not None else None
    if aside is not None:
        aside.hardlink_to(path)
    try:
        write_key(data_directory, key)
        yield aside
    except BaseException:
        if aside is not None:
            aside.replace(path)
        else:
            path.unlink(missing_ok=True)
        raise
