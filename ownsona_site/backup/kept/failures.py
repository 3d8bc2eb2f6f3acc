"""The failure that concerns the owner now."""

from __future__ import annotations

from ownsona_site.backup.last_backup import last_backup
from ownsona_site.models import BackupRun


def last_failure() -> BackupRun | None:
    """Return the last backup of the job process if it failed, and no backup was made since, in whatever way."""
    run = BackupRun.objects.exclude(finished_at=None).order_by("-finished_at").first()
    if run is None or run.finished_at is None or not run.problem:
        return None
    last = last_backup()
    return None if last is not None and last.created_at > run.finished_at else run
