"""ZIP archives as the containers of documents, read within limits."""

from __future__ import annotations

import posixpath
import zipfile
from pathlib import Path
from typing import IO, Final, Self
from urllib.parse import unquote

from common.texts import translatable
from documents.extraction.extracted import ExtractionError

MAX_MEMBERS: Final = 10_000
MAX_UNPACKED_BYTES: Final = 1 << 30
MAX_RATIO: Final = 200
"""Largest ratio of unpacked to packed size. A worksheet of equal cells has 16, a zip bomb 1,000 and more."""

RATIO_FROM_BYTES: Final = 10 << 20
"""Size from which the ratio counts. Less does no harm."""

_ENCRYPTED_FLAG: Final = 1
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """A ZIP archive whose table of contents is within the limits.

    `zipfile` never unpacks more of a member than the table states, so the sums of the table limit the reading, too.
    """

    def __init__(self, path: Path) -> None:
        """Open the archive and check its table of contents. Raises ExtractionError and zipfile.BadZipFile."""
        self._zip = zipfile.ZipFile(path)
        try:
            self._check(path.stat().st_size)
        except BaseException:
            self._zip.close()
            raise
        self.names: Final = frozenset(self._zip.namelist())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def open(self, name: str) -> IO[bytes]:
        """Open a member. Raises zipfile.BadZipFile if there is none."""
        if name not in self.names:
            raise zipfile.BadZipFile("A member is missing.")
        return self._zip.open(name)

    def read(self, name: str, limit_bytes: int) -> bytes:
        """Return the content of a member of at most limit_bytes. Raises ExtractionError if it is larger."""
        with self.open(name) as member:
            content = member.read(limit_bytes + 1)
        if len(content) > limit_bytes:
            raise ExtractionError("too_large", translatable("A part of the file is too large to be read."))
        return content

    def _check(self, file_bytes: int) -> None:
        members = self._zip.infolist()
        packed = sum(member.compress_size for member in members)
        unpacked = sum(member.file_size for member in members)
        is_bomb = (
            len(members) > MAX_MEMBERS
            or unpacked > MAX_UNPACKED_BYTES
            or unpacked > max(RATIO_FROM_BYTES, MAX_RATIO * packed)
            # Members that overlap are a way to pack more than the ratio of the compression allows.
            or packed > file_bytes
        )
        if is_bomb:
            raise ExtractionError(
                "too_large", translatable("The file would be far too large when it is unpacked, so it is not read.")
            )
        if any(member.flag_bits & _ENCRYPTED_FLAG for member in members):
            raise ExtractionError(
                "encrypted", translatable("The file is encrypted. Save it without a password and add it again.")
            )
        if any(member.compress_type not in _METHODS for member in members):
            raise zipfile.BadZipFile("A member is compressed in an unusual way.")


def member_path(folder: str, reference: str) -> str:
    """Return the name of the member to which a relative or absolute reference from a folder of the archive points."""
    target = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
