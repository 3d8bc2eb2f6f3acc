"""A backup by the job process: an archive in the folder, which is then checked, and the record of the result."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from common.disk_space import MEGABYTE, free_bytes_in, is_about_full_disk
from common.new_file import UnusableTarget, new_file
from ownsona_site.backup.archive import Archive
from ownsona_site.backup.backing_up import write_archive
from ownsona_site.backup.database import configured_database
from ownsona_site.backup.errors import BackupError, DamagedArchive
from ownsona_site.backup.kept.failures import record_result
from ownsona_site.backup.kept.folder import NoFolder, archives, new_name, open_folder, remove_partials
from ownsona_site.backup.kept.pruning import delete_old_archives
from ownsona_site.backup.last_backup import record_backup, record_check, record_damage
from ownsona_site.backup.schema import require_known_schema
from ownsona_site.models import BackupProblem, BackupRun

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
"""Maximum number of attempts if the job process is killed each time. The backup itself may be the cause."""


class Failure(Exception):
    """A backup that failed, with its reason for the owner. `str(error)` is the message of the error."""

    def __init__(self, problem: BackupProblem, detail: str) -> None:
        super().__init__(detail)
        self.problem = problem


def make_backup(*, is_nightly: bool, attempts: int = 0) -> None:
    """Make and check an archive, then delete old ones. A failure is recorded, and logged as a warning.

    `attempts` counts how often the job was interrupted. An archive that was complete by then is not made again.
    """
    run = _begin(is_nightly=is_nightly)
    try:
        if attempts >= MOST_ATTEMPTS:
            raise Failure(BackupProblem.INTERRUPTED, f"The job process was killed {attempts} times.")
        path = _write(run)
        _check(path)
    except Failure as failure:
        logger.warning("The backup failed: %s", failure)
        _finish(run, failure)
    except Exception as error:
        _finish(run, Failure(BackupProblem.OTHER, f"{type(error).__name__}: {error}"))
        raise
    else:
        _finish(run)
        delete_old_archives(path)


def forget_lost_runs() -> None:
    """Record that the backups which are under way were interrupted. Call it while no job makes one."""
    lost = list(BackupRun.objects.filter(finished_at=None).order_by("started_at"))
    with suppress(OSError):
        remove_partials([run.name for run in lost])
    for run in lost:
        if (settings.BACKUP_DIR / run.name).exists():
            run.delete()  # It is shown as not checked.
        else:
            text = "The job process ended before the backup was complete."
            _finish(run, Failure(BackupProblem.INTERRUPTED, text))


def _begin(*, is_nightly: bool) -> BackupRun:
    """Return an interrupted run whose archive is complete, or else a new one in the place of those interrupted."""
    lost = list(BackupRun.objects.filter(finished_at=None).order_by("-started_at"))
    with suppress(OSError):
        remove_partials([run.name for run in lost])
    complete = next((run for run in lost if (settings.BACKUP_DIR / run.name).is_file()), None)
    BackupRun.objects.filter(pk__in=[run.pk for run in lost if run is not complete]).delete()
    if complete is not None:
        return complete
    now = timezone.now()
    return BackupRun.objects.create(name=_free_name(now), is_nightly=is_nightly, started_at=now)


def _free_name(now: datetime) -> str:
    """Return a name that is new: an hour occurs twice when the clock is put back in autumn."""
    while BackupRun.objects.filter(name=new_name(now)).exists() or (settings.BACKUP_DIR / new_name(now)).exists():
        now += timedelta(seconds=1)
    return new_name(now)


def _write(run: BackupRun) -> Path:
    """Write the archive of `run`, unless it is there, and return its path. Raises Failure."""
    folder = _folder()
    path = folder / run.name
    if path.is_file():
        return path
    try:
        _require_space(folder, is_nightly=run.is_nightly)
        with new_file(path, overwrite=False) as stream:
            manifest = write_archive(stream, configured_database())
        record_backup(manifest, str(path), path.stat().st_size)
    except (BackupError, UnusableTarget, OSError, DatabaseError, psycopg.Error) as error:
        raise Failure(_problem(error), str(error)) from error
    return path


def _check(path: Path) -> None:
    """Read the whole archive, as `restore --check` does. Raises Failure."""
    try:
        with Archive(path) as archive:
            require_known_schema(archive.manifest)
            record_check(path)
    except BackupError as error:
        if isinstance(error, DamagedArchive):
            record_damage(path, str(error))
        raise Failure(BackupProblem.DAMAGED, str(error)) from error


def _folder() -> Path:
    try:
        folder = open_folder()
    except NoFolder:
        raise Failure(BackupProblem.NO_FOLDER, f"There is no folder {settings.BACKUP_DIR}.") from None
    except OSError as error:
        raise Failure(_problem(error), str(error)) from error
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise Failure(BackupProblem.NOT_WRITABLE, f"{folder} is not writable.")
    return folder


def _require_space(folder: Path, *, is_nightly: bool) -> None:
    """Raise Failure if an archive as large as the last one would leave too little space for the database.

    Nobody watches a backup at night, so it ends before the overview has to warn of a full disk.
    """
    free = free_bytes_in(folder)
    if free is None:
        return
    spare = 0
    if not settings.DATABASE_URL and folder.stat().st_dev == Path(settings.DATA_DIR).stat().st_dev:
        spare = (settings.DISK_WARNING_MB if is_nightly else settings.DISK_MINIMUM_MB) * MEGABYTE
    needed = next((archive.bytes for archive in archives()), None) or _database_bytes()
    if free < needed + spare:
        text = f"{free // MEGABYTE} MB are free in {folder}, and {(needed + spare) // MEGABYTE} MB are needed."
        raise Failure(BackupProblem.DISK_FULL, text)


def _database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def _problem(error: Exception) -> BackupProblem:
    if is_about_full_disk(error):
        return BackupProblem.DISK_FULL
    if isinstance(error, OSError):
        return BackupProblem.NOT_WRITABLE
    return BackupProblem.OTHER if isinstance(error, UnusableTarget) else BackupProblem.DATABASE


def _finish(run: BackupRun, failure: Failure | None = None) -> None:
    run.finished_at = timezone.now()
    if failure is not None:
        run.problem, run.detail = failure.problem, str(failure)
    run.save()
    record_result(run)
