"""ZIP files whose members are written as streams and verified before they are used.

Members are stored uncompressed, so reading one never takes more memory or disk space than the file has.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from types import TracebackType
from typing import IO, Self

from pydantic import BaseModel, Field

CHUNK_BYTES = 1024 * 1024
READABLE_BY_OWNER = 0o100600 << 16


UNREADABLE = (
    *(OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error),
    # A member is encrypted, or compressed in a way that Python cannot read.
    *(NotImplementedError, RuntimeError),
)
"""The errors of reading a damaged ZIP file, or one that needs what Python does not have."""


class Member(BaseModel):
    """The size and the digest of a member."""

    bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class DamagedMember(Exception):
    """The error that a member is not what was written. `str(error)` is a sentence that names the member."""


class ZipWriter:
    """A writer of a ZIP file, member by member, to a stream that need not be seekable. `members` are those so far.

    The table of contents is at the end of the file, so a truncated one is recognized at once.
    """

    def __init__(self, stream: IO[bytes], created_at: datetime) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED)
        self._created_at = created_at
        self.members: dict[str, Member] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # After an error nothing more may be written, but the destructor of ZipFile would write a table of contents.
        self._zip.fp = None

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a member from its chunks, and record its size and digest. Raises OSError."""
        entry = zipfile.ZipInfo(name, self._created_at.timetuple()[:6])
        entry.external_attr = READABLE_BY_OWNER
        digest, size = hashlib.sha256(), 0
        with self._zip.open(entry, "w", force_zip64=True) as member:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                member.write(chunk)
        self.members[name] = Member(bytes=size, sha256=digest.hexdigest())

    def close(self) -> None:
        """Write the table of contents. Without this call the file cannot be read."""
        self._zip.close()


def member_chunks(file: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Yield the content of a member."""
    with file.open(name) as member:
        while chunk := member.read(CHUNK_BYTES):
            yield chunk


def verify_member(file: zipfile.ZipFile, name: str, member: Member) -> None:
    """Read all of a member. Raises DamagedMember if its size or its digest is another one, and errors of zipfile."""
    if file.getinfo(name).file_size != member.bytes:
        raise DamagedMember(f"{name} is damaged: its size is not the {member.bytes} bytes of the manifest.")
    digest = hashlib.sha256()
    for chunk in member_chunks(file, name):
        digest.update(chunk)
    if digest.hexdigest() != member.sha256:
        raise DamagedMember(f"{name} is damaged: its SHA-256 differs from the manifest.")
