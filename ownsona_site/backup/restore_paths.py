"""The paths of a restore: the new data folder under construction, and the destination of the old content.

A data folder is replaced as a whole, by renames beside it. If that is impossible, because the folder is a mount point
(a volume of a container), has one for the backups, or its parent is not writable (a service's state folder), its
entries are renamed one by one inside it.

The folder of backups stays in the data folder: it is not part of what an archive replaces.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.moves import Move
from ownsona_site.configuration.data_directory import BACKUPS, restore_records
from ownsona_site.embedded_postgres.lease import CHANGE_FILE, USERS_FILE

BEFORE = "before-restore-"
RESTORING = "restoring"
LOCK_FILES = {CHANGE_FILE, USERS_FILE}


@dataclass(frozen=True, slots=True)
class RestorePaths:
    """The paths of one restore. `is_inside` is true if everything happens within the data folder."""

    data: Path
    is_inside: bool
    stamp: str

    @classmethod
    def of(cls, data_directory: Path, now: datetime) -> RestorePaths:
        """Determine the paths for a data folder. Raises BackupError if it belongs to another user, and OSError."""
        data = data_directory.resolve()
        if data.exists() and data.stat().st_uid != os.geteuid():
            raise BackupError(f"The data folder {data} belongs to another user: run the command as that user.")
        data.parent.mkdir(parents=True, exist_ok=True)
        # A mount point cannot be renamed.
        has_mount = data.is_mount() or (data / BACKUPS).is_mount()
        is_inside = data.is_dir() and (has_mount or not os.access(data.parent, os.W_OK | os.X_OK))
        return cls(data, is_inside, f"{now:%Y-%m-%d-%H%M%S}")

    @property
    def partial(self) -> Path:
        """The folder in which the new data folder is built."""
        return self.data / RESTORING if self.is_inside else self.data.with_name(f"{self.data.name}.{RESTORING}")

    @property
    def before(self) -> Path:
        """The folder to which the old content is moved."""
        name = f"{BEFORE}{self.stamp}"
        return self.data / name if self.is_inside else self.data.with_name(f"{self.data.name}.{name}")

    @property
    def record(self) -> Path:
        """The file that exists while folders are renamed."""
        beside, inside = restore_records(self.data)
        return inside if self.is_inside else beside

    def old_entries(self) -> list[Path]:
        """List the entries of the data folder that are replaced, without lock files and leftovers of restores."""
        if not self.data.is_dir():
            return []
        entries = sorted(self.data.iterdir())
        apart = {*LOCK_FILES, BACKUPS, self.partial.name, self.record.name}
        return [path for path in entries if path.name not in apart and not path.name.startswith(BEFORE)]

    def moves(self) -> list[Move]:
        """Return the renames that replace the old data folder by the new one."""
        old = self.old_entries()
        if not self.is_inside:
            backups = self.data / BACKUPS
            kept = [(self.before / BACKUPS, backups)] if os.path.lexists(backups) else []
            return [*([(self.data, self.before)] if old or kept else []), (self.partial, self.data), *kept]
        new = sorted(self.partial.iterdir())
        locks = [path for name in sorted(LOCK_FILES) if (path := self.data / name).exists()]
        aside = [*old, *locks] if old else []
        return [(path, self.before / path.name) for path in aside] + [(path, self.data / path.name) for path in new]

    def remove_locks(self) -> None:
        """Remove the lock files of an old data folder that had nothing else but backups, and the folder itself."""
        for name in LOCK_FILES:
            (self.before / name).unlink(missing_ok=True)
        self.remove_empty()

    def remove_empty(self) -> None:
        """Remove empty `before-restore-` folders, left by restores that were undone or killed."""
        prefix = self.before.name.removesuffix(self.stamp)
        for path in self.before.parent.iterdir():
            if path.name.startswith(prefix):
                with suppress(OSError):  # It is not empty.
                    path.rmdir()

    @contextmanager
    def only_restore(self) -> Iterator[None]:
        """Exclude other restores for the duration of the block. Raises BackupError if one is running."""
        descriptor = os.open(self.partial.parent, os.O_RDONLY)
        try:
            self._lock(descriptor)
            yield
        finally:
            os.close(descriptor)

    def _lock(self, descriptor: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(f"Another restore into {self.data} is running.") from None
