"""The creation of an archive while OwnSona keeps running."""

from __future__ import annotations

from contextlib import closing
from typing import IO

import psycopg
from django.conf import settings

from ownsona_site.backup.archive import DUMP, SECRET_KEY, ArchiveWriter
from ownsona_site.backup.database import Parameters, connect
from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.manifest import KEY_NOTE, Manifest, SecretKey, fingerprint
from ownsona_site.backup.owner_files import add_files
from ownsona_site.backup.programs import MAJOR_VERSION, VERSION, dumped
from ownsona_site.backup.snapshot import Snapshot, open_snapshot

RECORDED_SETTINGS = ("PUBLIC_URL", "EMBEDDING_PROVIDER", "EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS")


def write_archive(stream: IO[bytes], database: Parameters) -> Manifest:
    """Write an archive of the database, of the secret key and of the owner's files. Return its manifest.

    Raises BackupError, OSError if `stream` cannot be written, and psycopg.Error.
    """
    with connect(database) as connection:
        _require_known_server(connection)
        with open_snapshot(connection) as snapshot, ArchiveWriter(stream, snapshot.taken_at) as archive:
            with closing(dumped(database, snapshot.name)) as chunks:
                archive.add(DUMP, chunks)
            if settings.SECRET_KEY_IN_DATA_DIR:
                archive.add(SECRET_KEY, [settings.SECRET_KEY.encode()])
            add_files(archive, settings.DATA_DIR)
            manifest = _manifest(snapshot, archive)
            archive.finish(manifest)
            return manifest


def recorded_settings() -> dict[str, str]:
    """Return the current values of the settings that a restore compares."""
    return {name: str(getattr(settings, name)) for name in RECORDED_SETTINGS}


def _require_known_server(connection: psycopg.Connection) -> None:
    """Raise BackupError if the server is newer than pg_dump, which reads its own major version and older ones."""
    major = connection.info.server_version // 10_000
    if major > MAJOR_VERSION:
        raise BackupError(
            f"DATABASE_URL: the server is PostgreSQL {major}, but this OwnSona has pg_dump {VERSION}, which reads "
            f"servers up to {MAJOR_VERSION}. Make the backup with the pg_dump of the server, or update OwnSona."
        )


def _manifest(snapshot: Snapshot, archive: ArchiveWriter) -> Manifest:
    included = settings.SECRET_KEY_IN_DATA_DIR
    return Manifest(
        ownsona_version=settings.VERSION,
        created_at=snapshot.taken_at,
        postgresql_version=snapshot.postgresql_version,
        pg_dump_version=VERSION,
        pgvector_version=snapshot.pgvector_version,
        database_bytes=snapshot.database_bytes,
        migrations=snapshot.migrations,
        rows=snapshot.rows,
        forgotten_memories=snapshot.forgotten_memories,
        secret_key=SecretKey(
            included=included, fingerprint=fingerprint(settings.SECRET_KEY), note="" if included else KEY_NOTE
        ),
        settings=recorded_settings(),
        members=dict(archive.members),
    )
