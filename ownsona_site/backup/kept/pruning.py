"""The deletion of archives from the folder of backups: of one by the owner, and of those beyond the number to keep."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from ownsona_site.backup.kept.folder import KeptArchive, archives
from ownsona_site.backup.kept.states import state_of
from ownsona_site.backup.last_backup import LastBackup, last_backup, replace_record
from ownsona_site.backup.manifest import fingerprint
from ownsona_site.models import BackupPlan, BackupProblem, BackupRun

logger = logging.getLogger(__name__)

FAILURES_SHOWN = timedelta(days=30)
"""Time for which failed backups are listed."""


def delete_old_archives(made: Path) -> None:
    """Delete archives of this installation that are older than those to keep. `made`, the new one, always stays.

    Damaged archives do not count. Archives from the future were made while the clock was wrong, and are left alone.
    """
    now, own = timezone.now(), fingerprint(settings.SECRET_KEY)
    problems = dict(BackupRun.objects.values_list("name", "problem"))
    known = [archive for archive in archives() if archive.made_at <= now]
    good = [archive for archive in known if archive.manifest and problems.get(archive.name) != BackupProblem.DAMAGED]
    kept = good[: BackupPlan.current().keep]
    for archive in known[known.index(kept[-1]) + 1 :] if kept else ():
        # Another installation may use the same folder.
        is_of_key = archive.manifest is not None and archive.manifest.secret_key.fingerprint == own
        if (is_of_key or archive.name in problems) and archive.path != made:
            _delete_quietly(archive)
    _forget_runs()


def delete_archive(archive: KeptArchive) -> None:
    """Delete an archive, and the records of it. Raises OSError."""
    archive.path.unlink(missing_ok=True)
    BackupRun.objects.filter(name=archive.name).exclude(finished_at=None).delete()
    last = last_backup()
    if last is not None and last.place == str(archive.path):
        replace_record(_newest_record())


def _newest_record() -> LastBackup | None:
    """Return a record of the newest archive in the folder."""
    newest = next((archive for archive in archives() if archive.manifest), None)
    if newest is None:
        return None
    state = state_of(newest, BackupRun.objects.filter(name=newest.name).exclude(finished_at=None).first())
    return LastBackup(
        created_at=newest.made_at,
        place=str(newest.path),
        bytes=newest.bytes,
        checked_at=state.checked_at,
        is_damaged=bool(state.problem),
    )


def _delete_quietly(archive: KeptArchive) -> None:
    try:
        archive.path.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("The old backup %s cannot be deleted: %s", archive.path, error)


def _forget_runs() -> None:
    """Delete the records of archives that are gone, except those of recent failures."""
    names = {archive.name for archive in archives()}
    is_shown = ~Q(problem="") & Q(started_at__gt=timezone.now() - FAILURES_SHOWN)
    BackupRun.objects.exclude(finished_at=None).exclude(name__in=names).exclude(is_shown).delete()
