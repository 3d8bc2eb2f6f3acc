"""A file that gets its name only when it is complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from ownsona_site.backup.errors import BackupError


@contextmanager
def new_file(target: Path, *, overwrite: bool) -> Iterator[IO[bytes]]:
    """A stream to a file beside `target`, which at the end becomes `target`: on the disk, readable by its owner only.

    After an error nothing is left. Raises BackupError when there is such a file already, and OSError.
    """
    if target.is_dir():
        raise BackupError(f"{target} is a folder. Name a file in it.")
    if target.exists() and not overwrite:
        raise _taken(target)
    with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", suffix=".partial", delete=False) as stream:
        aside = Path(stream.name)
        try:
            yield stream.file
            stream.flush()
            os.fsync(stream.fileno())
            _give_name(aside, target, overwrite=overwrite)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in `folder` on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _give_name(aside: Path, target: Path, *, overwrite: bool) -> None:
    if overwrite:
        aside.replace(target)
        return
    try:
        # Unlike a rename it fails when another backup was faster.
        target.hardlink_to(aside)
    except FileExistsError:
        raise _taken(target) from None
    except OSError:  # A file system without hard links, such as that of most USB sticks.
        aside.rename(target)
    else:
        aside.unlink()


def _taken(target: Path) -> BackupError:
    return BackupError(f"{target} exists already. Choose another name, or replace it with --overwrite.")
