"""The record of the last backup, in the data folder: when it was made, where to, and when it was last checked."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, ValidationError

from common.new_file import new_file
from ownsona_site.backup.manifest import Manifest

FILE_NAME = "last_backup.json"
FRESH = timedelta(days=30)
"""Age up to which a backup counts as recent."""


class LastBackup(BaseModel):
    """The last archive that was written.

    - `created_at`: the time of its content, as in its manifest.
    - `place`: the path of the archive; empty if it went to standard output.
    - `checked_at`: when `restore --check` last found it complete; None if it was never checked.
    """

    model_config = ConfigDict(frozen=True)

    created_at: datetime
    place: str = ""
    bytes: int
    checked_at: datetime | None = None

    @property
    def is_recent(self) -> bool:
        """Whether it is at most `FRESH` old."""
        return timezone.now() - self.created_at <= FRESH


def last_backup() -> LastBackup | None:
    """Return the record of the last backup; None if there is none, or it cannot be read."""
    try:
        return LastBackup.model_validate_json(_path().read_bytes())
    except (OSError, ValidationError):
        return None


def record_backup(manifest: Manifest, place: str, written: int) -> None:
    """Record a backup that is complete. `written` is its size in bytes."""
    _write(LastBackup(created_at=manifest.created_at, place=place, bytes=written))


def record_check(manifest: Manifest) -> None:
    """Record that an archive was checked, if it is the last backup."""
    last = last_backup()
    if last is not None and last.created_at == manifest.created_at:
        _write(last.model_copy(update={"checked_at": timezone.now()}))


def record_restored(manifest: Manifest, place: str, size: int) -> None:
    """Record an archive of `size` bytes that was restored, and so is complete, unless a later backup is recorded."""
    last = last_backup()
    if last is None or last.created_at < manifest.created_at:
        now = timezone.now()
        _write(LastBackup(created_at=manifest.created_at, place=place, bytes=size, checked_at=now))


def replace_record(record: LastBackup | None) -> None:
    """Record another archive as the last backup, or that there is none, after the last one was deleted."""
    if record is not None:
        _write(record)
        return
    with suppress(OSError):
        _path().unlink(missing_ok=True)


def _write(record: LastBackup) -> None:
    # The archive is more important than its record: without permission, or on a full disk, there is none.
    with suppress(OSError), new_file(_path(), overwrite=True) as file:
        file.write(record.model_dump_json().encode())


def _path() -> Path:
    return Path(settings.DATA_DIR) / FILE_NAME
