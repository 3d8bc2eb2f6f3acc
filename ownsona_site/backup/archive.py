"""The archive: a ZIP file with the dump of the database, the secret key, and finally the manifest.

Its members are stored uncompressed, since the dump is already compressed. ZIP has its table of contents at the end, so
a truncated archive is recognized at once.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.manifest import MAX_MANIFEST_BYTES, Manifest, Member

MANIFEST = "manifest.json"
DUMP = "database.dump"
SECRET_KEY = "secret_key"  # noqa: S105 - a file name
CHUNK_BYTES = 1024 * 1024
MAX_SECRET_KEY_BYTES = 64 * 1024
READABLE_BY_OWNER = 0o100600 << 16


class ArchiveWriter:
    """A writer of an archive, member by member, to a stream that need not be seekable."""

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

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest and the table of contents. Without this call the archive cannot be read."""
        self.add(MANIFEST, [manifest.model_dump_json(indent=2).encode() + b"\n"])
        self._zip.close()


class Archive:
    """An archive that was read completely and found intact."""

    def __init__(self, path: Path) -> None:
        """Open the file and verify all of it. Raises BackupError."""
        try:
            self._zip = zipfile.ZipFile(path)
        except zipfile.BadZipFile:
            raise BackupError(f"{path} is not an archive of `manage.py backup`, or is incomplete.") from None
        except OSError as error:
            raise BackupError(f"{path} cannot be read: {error.strerror or error}.") from None
        try:
            self.manifest = Manifest.read(self._read_small(MANIFEST, MAX_MANIFEST_BYTES))
            self._verify()
        except (BackupError, OSError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            # NotImplementedError, RuntimeError: a member is compressed or encrypted in a way that Python cannot read.
            self._zip.close()
            raise BackupError(f"{path} cannot be restored. {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def dump(self) -> Iterator[bytes]:
        """Return the dump of the database, in chunks."""
        return self._chunks(DUMP)

    def secret_key(self) -> str | None:
        """Return the secret key; None if it is not in the archive."""
        if not self.manifest.secret_key.included:
            return None
        return self._read_small(SECRET_KEY, MAX_SECRET_KEY_BYTES).decode()

    def _verify(self) -> None:
        expected = {DUMP, *([SECRET_KEY] if self.manifest.secret_key.included else [])}
        found = [entry.filename for entry in self._zip.infolist()]
        if sorted(found) != sorted({*expected, MANIFEST}) or set(self.manifest.members) != expected:
            raise BackupError(f"It must have exactly the members {', '.join(sorted({*expected, MANIFEST}))}.")
        for name, member in self.manifest.members.items():
            if self._zip.getinfo(name).file_size != member.bytes:
                raise BackupError(f"{name} is damaged: its size is not the {member.bytes} bytes of the manifest.")
            digest = hashlib.sha256()
            for chunk in self._chunks(name):
                digest.update(chunk)
            if digest.hexdigest() != member.sha256:
                raise BackupError(f"{name} is damaged: its SHA-256 differs from the manifest.")

    def _chunks(self, name: str) -> Iterator[bytes]:
        with self._zip.open(name) as member:
            while chunk := member.read(CHUNK_BYTES):
                yield chunk

    def _read_small(self, name: str, limit_bytes: int) -> bytes:
        try:
            entry = self._zip.getinfo(name)
        except KeyError:
            raise BackupError(f"It has no {name}: this is not an archive of `manage.py backup`.") from None
        if entry.file_size > limit_bytes:
            raise BackupError(f"{name} is larger than {limit_bytes} bytes.")
        return self._zip.read(entry)
