"""The archive: a ZIP file with the dump of the database, the secret key, the owner's files, and finally the manifest.

Its members are stored uncompressed, since the dump is already compressed.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from common.zip_members import UNREADABLE, DamagedMember, ZipWriter, member_chunks, verify_member
from ownsona_site.backup.errors import BackupError, DamagedArchive
from ownsona_site.backup.manifest import MAX_MANIFEST_BYTES, Manifest
from ownsona_site.backup.owner_file_names import is_owner_file

MANIFEST = "manifest.json"
DUMP = "database.dump"
SECRET_KEY = "secret_key"  # noqa: S105 - a file name
MAX_SECRET_KEY_BYTES = 64 * 1024


class ArchiveWriter(ZipWriter):
    """A writer of an archive, member by member, to a stream that need not be seekable."""

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest and the table of contents. Without this call the archive cannot be read."""
        self.add(MANIFEST, [manifest.model_dump_json(indent=2).encode() + b"\n"])
        self.close()


class Archive:
    """An archive that was read completely and found intact."""

    def __init__(self, path: Path) -> None:
        """Open the file and verify all of it. Raises DamagedArchive, and BackupError if it cannot be read."""
        try:
            self._zip = zipfile.ZipFile(path)
        except zipfile.BadZipFile:
            raise DamagedArchive(f"{path} is not an archive of `manage.py backup`, or is incomplete.") from None
        except OSError as error:
            raise BackupError(f"{path} cannot be read: {error.strerror or error}.") from None
        try:
            self.manifest = Manifest.read(self._read_small(MANIFEST, MAX_MANIFEST_BYTES))
            self._verify()
        except (BackupError, DamagedMember, *UNREADABLE) as error:
            self._zip.close()
            raise DamagedArchive(f"{path} cannot be restored. {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def dump(self) -> Iterator[bytes]:
        """Return the dump of the database, in chunks."""
        return member_chunks(self._zip, DUMP)

    def secret_key(self) -> str | None:
        """Return the secret key; None if it is not in the archive."""
        if not self.manifest.secret_key.included:
            return None
        return self._read_small(SECRET_KEY, MAX_SECRET_KEY_BYTES).decode()

    def owner_files(self) -> list[str]:
        """Return the names of the owner's files, which are paths in the data folder."""
        return [name for name in self.manifest.members if name not in (DUMP, SECRET_KEY)]

    def owner_file(self, name: str) -> Iterator[bytes]:
        """Return the content of one of the owner's files, in chunks."""
        return member_chunks(self._zip, name)

    def _verify(self) -> None:
        needed = {DUMP, *([SECRET_KEY] if self.manifest.secret_key.included else [])}
        expected = needed | {name for name in self.owner_files() if is_owner_file(name)}
        found = [entry.filename for entry in self._zip.infolist()]
        if sorted(found) != sorted({*expected, MANIFEST}) or set(self.manifest.members) != expected:
            raise BackupError(
                f"It must have exactly the members {', '.join(sorted({*needed, MANIFEST}))} and files of the owner."
            )
        for name, member in self.manifest.members.items():
            verify_member(self._zip, name, member)

    def _read_small(self, name: str, limit_bytes: int) -> bytes:
        try:
            entry = self._zip.getinfo(name)
        except KeyError:
            raise BackupError(f"It has no {name}: this is not an archive of `manage.py backup`.") from None
        if entry.file_size > limit_bytes:
            raise BackupError(f"{name} is larger than {limit_bytes} bytes.")
        return self._zip.read(entry)
