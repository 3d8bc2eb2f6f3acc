"""The record of the last backup, in the data folder: when it was made, where to, and when it was last checked."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, ValidationError

from common.new_file import new_file
from ownsona_site.backup.checked_files import record_checked
from ownsona_site.backup.manifest import Manifest

FILE_NAME = "last_backup.json"
FRESH = timedelta(days=30)
"""Age up to which a backup counts as recent."""


class LastBackup(BaseModel):
    """The last archive that was written.

    - `created_at`: the time of its content, as in its manifest.
    - `place`: the path of the archive; empty if it went to standard output.
    - `checked_at`: when `restore --check` last found it complete; None if it was never checked.
    - `is_damaged`: whether the last check found it damaged.
    """

    model_config = ConfigDict(frozen=True)

    created_at: datetime
    place: str = ""
    bytes: int
    checked_at: datetime | None = None
    is_damaged: bool = False

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


def record_check(path: Path) -> None:
    """Record that the archive at `path` was found complete."""
    record_checked(path)
    _update(path, checked_at=timezone.now(), is_damaged=False)


def record_damage(path: Path, problem: str) -> None:
    """Record that the archive at `path` is damaged. `problem` is the message of the error."""
    record_checked(path, problem)
    _update(path, checked_at=None, is_damaged=True)


def _update(path: Path, **values: object) -> None:
    """Change the record of the last backup if it is the file at `path`. A copy of it says nothing about it."""
    last = last_backup()
    if last is not None and last.place == str(path.absolute()):
        _write(last.model_copy(update=values))


def record_restored(manifest: Manifest, path: Path) -> None:
    """Record an archive that was restored, and so is complete. Without a later one, it is the last backup."""
    record_checked(path)
    last = last_backup()
    if last is None or last.created_at < manifest.created_at:
        place, size = str(path.absolute()), path.stat().st_size
        _write(LastBackup(created_at=manifest.created_at, place=place, bytes=size, checked_at=timezone.now()))


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
