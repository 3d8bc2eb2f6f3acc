"""ZIP archives, read within limits. Nothing is unpacked to a path that the archive names."""

from __future__ import annotations

import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import BinaryIO, Final, cast

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.entries import Entry, UnreadableFile
from memories.transfer.files.folder import MAX_FILES, is_hidden, is_wanted, other_file
from memories.transfer.files.import_file import ImportFile

MAX_UNPACKED_BYTES: Final = 8 << 30
MAX_RATIO: Final = 200
"""Largest ratio of unpacked to packed size. JSON of conversations has 5 to 20, a zip bomb 1,000 and more."""

RATIO_FROM_BYTES: Final = 16 << 20
"""Size from which the ratio counts. Less does no harm."""

MAX_NESTING: Final = 2
"""Largest number of archives in each other. Exports have an archive for each category."""

_MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 1
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


def is_archive(sample: bytes) -> bool:
    """Whether a file begins like a ZIP archive."""
    return sample.startswith(_MAGIC)


class Archive:
    """A ZIP archive whose table of contents is within the limits."""

    def __init__(self, file: ImportFile) -> None:
        """Open the archive. Raises UnreadableFile if it is damaged, encrypted, too large, or nested too deeply."""
        if file.archives >= MAX_NESTING:
            raise UnreadableFile(
                translatable(
                    "%(name)s is nested too deeply: an archive in an archive in an archive. Unpack it first.",
                    name=file.name,
                )
            )
        self._name, self._archives = file.name, file.archives + 1
        file.stream.seek(0)
        try:
            self._zip = zipfile.ZipFile(file.stream)
        except _DAMAGED:
            raise UnreadableFile(
                translatable("%(name)s is a damaged ZIP archive, or only a part of one.", name=file.name)
            ) from None
        self._check()

    def _check(self) -> None:
        """Raise UnreadableFile if the archive is beyond a limit. `zipfile` never unpacks more than the table states."""
        members = self._zip.infolist()
        packed, unpacked = (sum(getattr(each, name) for each in members) for name in ("compress_size", "file_size"))
        if len(members) > MAX_FILES or unpacked > MAX_UNPACKED_BYTES:
            limit = f"{MAX_FILES} files and {MAX_UNPACKED_BYTES >> 30} GB"
            raise UnreadableFile(
                translatable(
                    "%(name)s is too large when it is unpacked: at most %(limit)s are allowed.",
                    name=self._name,
                    limit=limit,
                )
            )
        if unpacked > max(RATIO_FROM_BYTES, MAX_RATIO * packed):
            raise UnreadableFile(
                translatable("%(name)s is compressed too much to be an export, so it is not unpacked.", name=self._name)
            )
        if any(member.flag_bits & _ENCRYPTED for member in members):
            raise UnreadableFile(translatable("%(name)s is encrypted. Save it without a password.", name=self._name))

    def files(self) -> Iterator[ImportFile | Entry]:
        """Yield the files, one unpacked at a time to a temporary file without a name.

        A member that is damaged, a link, or has a path outside the archive is an entry with an error.
        """
        members = {member.filename: member for member in self._zip.infolist() if not member.is_dir()}
        for name, member in sorted(members.items()):
            path = PurePosixPath(name.replace("\\", "/"))
            if problem := _problem(member, path):
                yield Entry(name, error=InvalidInput(problem))
            elif is_hidden(path.parts) or name.endswith(("-wal", "-shm")):
                continue
            elif not is_wanted(path.parts):
                yield other_file(name)
            else:
                yield from self._unpacked(member, members.get(f"{name}-wal"))

    def _unpacked(self, member: zipfile.ZipInfo, log: zipfile.ZipInfo | None) -> Iterator[ImportFile | Entry]:
        name = member.filename
        try:
            with TemporaryFile(prefix="ownsona-import-") as stream, NamedTemporaryFile(prefix="ownsona-import-") as wal:
                self._copy(member, cast(BinaryIO, stream))
                if log is not None:
                    self._copy(log, cast(BinaryIO, wal))
                    wal.flush()
                log_path = Path(wal.name) if log is not None else None
                yield ImportFile(cast(BinaryIO, stream), name, log_path, is_member=True, archives=self._archives)
        except _DAMAGED:
            yield Entry(name, error=InvalidInput(translatable("it is damaged, or the archive is only a part of one.")))

    def _copy(self, member: zipfile.ZipInfo, target: BinaryIO) -> None:
        with self._zip.open(member) as source:
            shutil.copyfileobj(source, target, 1 << 20)


def _problem(member: zipfile.ZipInfo, path: PurePosixPath) -> str | None:
    """Return why a member must not be read, None if it may be."""
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        return "its path leads out of the archive, so it is not read."
    if stat.S_ISLNK(member.external_attr >> 16):
        return "it is a link, so it is not read."
    if member.compress_type not in _METHODS:
        return "it is compressed in an unusual way. Pack it again."
    return None
