"""The folder of backups: the names of its archives, their manifests, and what killed backups leave in it."""

from __future__ import annotations

import re
import time
import zipfile
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from common.zip_members import UNREADABLE
from ownsona_site.backup.archive import MANIFEST
from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.manifest import MAX_MANIFEST_BYTES, Manifest
from ownsona_site.configuration.data_directory import BACKUPS

_NAME = r"ownsona-\d{4}-\d{2}-\d{2}-\d{6}\.zip"
_NAME_FORMAT = "ownsona-%Y-%m-%d-%H%M%S.zip"
NAME = re.compile(_NAME, re.ASCII)
_PARTIAL = re.compile(rf"\.({_NAME})\.[0-9a-f]+\.partial", re.ASCII)
ABANDONED_SECONDS = 3600.0
"""A partial archive that has not grown for this long belongs to no backup."""


class NoFolder(Exception):
    """The folder of `BACKUP_DIR` does not exist."""


@dataclass(frozen=True, slots=True)
class KeptArchive:
    """An archive in the folder. `manifest` is None if it cannot be read. `made_at` then is the time in the name.

    `modified_ns` is the time of the file.
    """

    path: Path
    bytes: int
    modified_ns: int
    made_at: datetime
    manifest: Manifest | None

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name

    @property
    def memories(self) -> int | None:
        """The number of memories in it, without forgotten ones if their number is known; None if it is unknown."""
        stored = self.manifest.rows.get("memories_memory") if self.manifest else None
        return None if stored is None else stored - (self.forgotten or 0)

    @property
    def forgotten(self) -> int | None:
        """The number of forgotten memories in it; None if it is unknown."""
        return self.manifest.forgotten_memories if self.manifest else None


def new_name(now: datetime) -> str:
    """Return the name of an archive that is made at `now`, with the time in the owner's time zone."""
    return timezone.localtime(now, settings.OWNER_TIME_ZONE).strftime(_NAME_FORMAT)


def open_folder() -> Path:
    """Return the folder. The one in the data folder is created if it does not exist. Raises NoFolder and OSError.

    Another one is not created: the disk that it is on may not be mounted.
    """
    folder: Path = settings.BACKUP_DIR
    if folder == Path(settings.DATA_DIR) / BACKUPS:
        folder.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_dir():
        raise NoFolder
    return folder


def archives() -> list[KeptArchive]:
    """Return the archives in the folder whose names are those of the job process, newest first."""
    return sorted(_archives(), key=lambda archive: (archive.made_at, archive.name), reverse=True)


def find_archive(name: str) -> KeptArchive | None:
    """Return the archive with this name; None if there is none."""
    return _archive(settings.BACKUP_DIR / name) if NAME.fullmatch(name) else None


def remove_partials(lost: Collection[str] = ()) -> None:
    """Remove the unfinished archives of killed backups: those with a name in `lost`, and old ones. Raises OSError."""
    for path in list(settings.BACKUP_DIR.iterdir()):
        if (match := _PARTIAL.fullmatch(path.name)) is None:
            continue
        with suppress(FileNotFoundError):
            if match[1] in lost or abs(time.time() - path.lstat().st_mtime) > ABANDONED_SECONDS:
                path.unlink()


def _archives() -> Iterator[KeptArchive]:
    try:
        paths = list(settings.BACKUP_DIR.iterdir())
    except OSError:
        return
    for path in paths:
        if NAME.fullmatch(path.name) and (archive := _archive(path)):
            yield archive


def _archive(path: Path) -> KeptArchive | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    if path.is_symlink() or not path.is_file():
        return None
    manifest = _manifest(path, status.st_mtime_ns, status.st_size)
    made_at = manifest.created_at if manifest else _named_time(path.name)
    return KeptArchive(
        path, status.st_size, status.st_mtime_ns, made_at or datetime.fromtimestamp(status.st_mtime, UTC), manifest
    )


def _named_time(name: str) -> datetime | None:
    """Return the time in a name of `new_name`; None for one that no clock has shown."""
    try:
        return datetime.strptime(name, _NAME_FORMAT).replace(tzinfo=settings.OWNER_TIME_ZONE)
    except ValueError:
        return None


@lru_cache(maxsize=512)
def _manifest(path: Path, _changed_at: int, _bytes: int) -> Manifest | None:
    """Return the manifest of the archive at `path`, of which nothing else is read. The cache knows a changed file."""
    try:
        with zipfile.ZipFile(path) as opened:
            entry = opened.getinfo(MANIFEST)
            return Manifest.read(opened.read(entry)) if entry.file_size <= MAX_MANIFEST_BYTES else None
    except (BackupError, KeyError, OSError, *UNREADABLE):
        return None
