"""The paths of a restore into a data folder: where it is built, and where what was there before goes.

A data folder is replaced as a whole, by renames beside it. Where that cannot be, since the folder is a mount point (a
volume of a container) or its parent cannot be written to (a service's state folder), the same happens inside it, entry
by entry.
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
from ownsona_site.configuration.data_directory import restore_records
from ownsona_site.embedded_postgres.lease import CHANGE_FILE, USERS_FILE

BEFORE = "before-restore-"
RESTORING = "restoring"
LOCK_FILES = {CHANGE_FILE, USERS_FILE}


@dataclass(frozen=True, slots=True)
class Place:
    """The paths. `is_inside`: all is done within the data folder."""

    data: Path
    is_inside: bool
    stamp: str

    @classmethod
    def of(cls, data_directory: Path, now: datetime) -> Place:
        """The place for a data folder. Raises BackupError when it belongs to someone else, and OSError."""
        data = data_directory.resolve()
        if data.exists() and data.stat().st_uid != os.geteuid():
            raise BackupError(f"The data folder {data} belongs to another user: run the command as that user.")
        data.parent.mkdir(parents=True, exist_ok=True)
        is_inside = data.is_dir() and (data.is_mount() or not os.access(data.parent, os.W_OK | os.X_OK))
        return cls(data, is_inside, f"{now:%Y-%m-%d-%H%M%S}")

    @property
    def partial(self) -> Path:
        """Where the new data folder is built."""
        return self.data / RESTORING if self.is_inside else self.data.with_name(f"{self.data.name}.{RESTORING}")

    @property
    def before(self) -> Path:
        """Where the old one goes."""
        name = f"{BEFORE}{self.stamp}"
        return self.data / name if self.is_inside else self.data.with_name(f"{self.data.name}.{name}")

    @property
    def record(self) -> Path:
        """The file that exists while folders are renamed."""
        beside, inside = restore_records(self.data)
        return inside if self.is_inside else beside

    def old_entries(self) -> list[Path]:
        """What is in the data folder now, without what restores have left and files that only say who uses it."""
        if not self.data.is_dir():
            return []
        entries = sorted(self.data.iterdir())
        apart = {*LOCK_FILES, self.partial.name, self.record.name}
        return [path for path in entries if path.name not in apart and not path.name.startswith(BEFORE)]

    def moves(self) -> list[Move]:
        """The renames that put the new data folder into the place of the old one."""
        old = self.old_entries()
        if not self.is_inside:
            return [*([(self.data, self.before)] if old else []), (self.partial, self.data)]
        new = sorted(self.partial.iterdir())
        locks = [path for name in sorted(LOCK_FILES) if (path := self.data / name).exists()]
        aside = [*old, *locks] if old else []
        return [(path, self.before / path.name) for path in aside] + [(path, self.data / path.name) for path in new]

    def remove_empty(self) -> None:
        """Remove folders for what was there before that nothing is in: a restore was taken back, or killed."""
        prefix = self.before.name.removesuffix(self.stamp)
        for path in self.before.parent.iterdir():
            if path.name.startswith(prefix):
                with suppress(OSError):  # It is not empty.
                    path.rmdir()

    @contextmanager
    def only_restore(self) -> Iterator[None]:
        """The time in which no other restore works here. Raises BackupError when one does."""
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
            raise BackupError(f"Another restore into {self.data} is going on.") from None
