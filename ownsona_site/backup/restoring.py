"""The restore of an archive into a new data folder with its own embedded PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from common.new_file import sync_folder
from ownsona_site.backup.archive import Archive
from ownsona_site.backup.database import database_of
from ownsona_site.backup.database_import import fill, first_line
from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.keys import write_key
from ownsona_site.backup.moves import move_all, take_back
from ownsona_site.backup.owner_files import restore_files
from ownsona_site.backup.restore_paths import RestorePaths
from ownsona_site.backup.restore_report import Restored
from ownsona_site.backup.space import require_space
from ownsona_site.configuration.data_directory import create_data_directory, restore_records
from ownsona_site.embedded_postgres.errors import ServerInUse
from ownsona_site.embedded_postgres.processes import server_processes
from ownsona_site.embedded_postgres.server import Server


def restore_data_folder(archive: Archive, data_directory: Path) -> Restored:
    """Create a data folder from the archive. An existing one is moved aside.

    After an error nothing has changed. Raises BackupError, EmbeddedServerError, OSError.
    """
    place = RestorePaths.of(data_directory, datetime.now(UTC))
    with place.only_restore():
        _take_back(place)
        _remove_partial(place.partial)
        with _out_of_use(place.data):
            require_space(place.partial.parent, archive.manifest)
            try:
                migrations = _build(archive, place.partial)
                restore_files(archive, place.partial, place.data)
                has_old = bool(place.old_entries())
                _replace(place)
                if not has_old:
                    place.remove_locks()
            finally:
                _remove_partial(place.partial)
    return Restored(migrations, f"the data folder {place.data}", place.before if has_old else None)


def undo_interrupted(data_directory: Path) -> None:
    """Undo the renames of a restore that was killed between them: the archive may be in the old data folder.

    Raises BackupError and OSError.
    """
    if not any(record.exists() for record in restore_records(data_directory.resolve())):
        return
    place = RestorePaths.of(data_directory, datetime.now(UTC))
    with place.only_restore():
        _take_back(place)


def _take_back(place: RestorePaths) -> None:
    if take_back(place.record):
        place.remove_empty()


@contextmanager
def _out_of_use(data: Path) -> Iterator[None]:
    """Prevent all use of the data folder, if it exists, for the duration of the block. Raises BackupError."""
    if not data.is_dir():
        yield
        return
    try:
        with Server(data).unused():
            yield
    except ServerInUse as error:
        raise BackupError(f"{error} Stop OwnSona, and clients that started `manage.py mcp_stdio`.") from error


def _build(archive: Archive, folder: Path) -> list[str]:
    create_data_directory(folder)
    if secret_key := archive.secret_key():
        write_key(folder, secret_key)
    server = Server(folder)
    # A _FILE variable in the environment would conflict with the variable set here.
    environment = {"OWNSONA_DATA_DIR": str(folder), "OWNSONA_DATA_DIR_FILE": ""}
    try:
        server.use()
        migrations = fill(database_of(server), archive, environment)
    except BaseException as error:
        server.discard()
        if isinstance(error, psycopg.Error):
            raise BackupError(f"The database could not be restored: {first_line(error)}") from error
        raise
    server.release()
    if server_processes(server.cluster):
        raise BackupError("The new database does not stop. Nothing was changed.")
    sync_folder(folder)
    return migrations


def _replace(place: RestorePaths) -> None:
    moves = place.moves()
    if place.is_inside and place.before in {new.parent for _, new in moves}:
        place.before.mkdir(mode=0o711)
    elif not place.is_inside and place.data.is_dir() and len(moves) == 1:
        # The folder contains only lock files. A rename can replace a folder only if it is empty.
        for path in place.data.iterdir():
            path.unlink()
    try:
        move_all(moves, place.record)
    except BaseException:
        place.remove_empty()
        raise


def _remove_partial(folder: Path) -> None:
    """Remove the unfinished data folder of this restore or of a killed one, after ending its server."""
    if folder.is_dir():
        Server(folder).discard()
        shutil.rmtree(folder)
