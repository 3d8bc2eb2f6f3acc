"""The record of the last failed backup, in the data folder, so that the overview needs no query for it."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from pydantic import BaseModel, ConfigDict, ValidationError

from common.new_file import new_file
from ownsona_site.backup.last_backup import last_backup
from ownsona_site.models import BackupProblem, BackupRun

FILE_NAME = "failed_backup.json"


class FailedBackup(BaseModel):
    """A backup of the job process that failed at `finished_at`."""

    model_config = ConfigDict(frozen=True)

    finished_at: datetime
    is_nightly: bool
    problem: BackupProblem


def last_failure() -> FailedBackup | None:
    """Return the last backup of the job process if it failed, and no backup was made since, in whatever way."""
    try:
        failure = FailedBackup.model_validate_json(_path().read_bytes())
    except (OSError, ValidationError):
        return None
    last = last_backup()
    return None if last is not None and last.created_at > failure.finished_at else failure


def record_result(run: BackupRun) -> None:
    """Record a finished run if it failed. Otherwise, forget an earlier failure."""
    assert run.finished_at is not None, "it has ended"
    with suppress(OSError):
        if not run.problem:
            _path().unlink(missing_ok=True)
            return
        failure = FailedBackup(
            finished_at=run.finished_at, is_nightly=run.is_nightly, problem=BackupProblem(run.problem)
        )
        with new_file(_path(), overwrite=True) as file:
            file.write(failure.model_dump_json().encode())


def _path() -> Path:
    return Path(settings.DATA_DIR) / FILE_NAME
