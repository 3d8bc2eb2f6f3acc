"""The files that owners write themselves in the data folder: agents and custom tools."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath

from common.new_file import new_file
from common.zip_members import CHUNK_BYTES
from ownsona_site.backup.archive import Archive, ArchiveWriter
from ownsona_site.backup.owner_file_names import FOLDERS

FIRST_FORMAT_WITH_FILES = 2


def add_files(archive: ArchiveWriter, data: Path) -> None:
    """Write the owner's files into the archive. One that disappears meanwhile is left out. Raises OSError."""
    for path in _files_in(data):
        with suppress(FileNotFoundError), path.open("rb") as stream:
            archive.add(str(PurePosixPath(path.relative_to(data))), iter(partial(stream.read, CHUNK_BYTES), b""))


def restore_files(archive: Archive, folder: Path, current: Path) -> None:
    """Write the owner's files of the archive into `folder`; those that exist stay. Raises OSError.

    Archives of older versions have none: then the files of the data folder `current` are kept.
    """
    if archive.manifest.format_version < FIRST_FORMAT_WITH_FILES:
        _copy_files(current, folder)
        return
    for name in archive.owner_files():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            with new_file(path, overwrite=False) as stream:
                stream.writelines(archive.owner_file(name))


def _files_in(data: Path) -> Iterator[Path]:
    """Yield the regular files, in order. Links are left out: they may lead anywhere."""
    for name in FOLDERS:
        paths = sorted((data / name).rglob("*"))
        yield from (path for path in paths if path.is_file() and not _is_behind_link(path, data))


def _is_behind_link(path: Path, data: Path) -> bool:
    return any(each.is_symlink() for each in (path, *path.parents) if data in each.parents)


def _copy_files(current: Path, folder: Path) -> None:
    if current.resolve() == folder.resolve():
        return
    for path in _files_in(current):
        target = folder / path.relative_to(current)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copy2(path, target)
