"""The reader of an archive, which verifies all of it before anything is used."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import orjson

from common.texts import translatable
from common.zip_members import UNREADABLE, DamagedMember, verify_member
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.manifest import MANIFEST, MAX_MANIFEST_BYTES, Manifest

MAX_LINE_BYTES = 512 * 1024 * 1024
"""Longest line: the text of the largest document. A longer one is not read."""


class ArchiveReader:
    """An archive that was read completely and found intact. Nothing of it is ever unpacked to the disk.

    Its members are stored uncompressed and do not overlap, so it cannot expand when it is read.
    """

    def __init__(self, path: Path, known: Iterable[re.Pattern[str]], name: str) -> None:
        """Open a file and verify it. `known` match the names that members may have. Raises UnusableArchive.

        `name` is that of the file in messages.
        """
        try:
            self._zip = zipfile.ZipFile(path)
        except zipfile.BadZipFile:
            raise UnusableArchive(
                translatable("%(name)s is not an archive of `manage.py export`, or is incomplete.", name=name)
            ) from None
        except OSError as error:
            raise UnusableArchive(
                translatable("%(name)s cannot be read: %(problem)s.", name=name, problem=error.strerror or error)
            ) from None
        try:
            self._check_members(path.stat().st_size)
            self.manifest = Manifest.read(self._zip.read(MANIFEST))
            self._verify(list(known))
        except (UnusableArchive, DamagedMember, *UNREADABLE) as error:
            self._zip.close()
            raise UnusableArchive(f"{name} cannot be imported. {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def records(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the objects of the member `name`.jsonl, one at a time. There are none if there is no such member.

        Raises UnusableArchive that names the line.
        """
        member = f"{name}.jsonl"
        if member not in self.manifest.members:
            return
        with self._zip.open(member) as stream:
            for number, line in enumerate(iter(lambda: stream.readline(MAX_LINE_BYTES), b""), start=1):
                try:
                    record = orjson.loads(line)
                    if not isinstance(record, dict):
                        raise ValueError
                except ValueError:
                    raise UnusableArchive(
                        translatable(
                            "%(member)s, line %(number)s: it is not a JSON object.", member=member, number=number
                        )
                    ) from None
                yield record

    def has(self, member: str) -> bool:
        """Return whether there is a member of this name."""
        return member in self.manifest.members

    @contextmanager
    def opened(self, member: str) -> Iterator[IO[bytes]]:
        """Open a member as a seekable file."""
        with self._zip.open(member) as stream:
            yield stream

    def _check_members(self, archive_bytes: int) -> None:
        """Refuse what could expand, before anything is read: compressed members, and members that overlap."""
        entries = self._zip.infolist()
        names = [entry.filename for entry in entries]
        if MANIFEST not in names:
            raise UnusableArchive(
                translatable("It has no %(manifest)s: it is not an archive of `manage.py export`.", manifest=MANIFEST)
            )
        if len(set(names)) != len(names):
            raise UnusableArchive(translatable("Two of its members have the same name."))
        for entry in entries:
            if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
                raise UnusableArchive(
                    translatable("It was repacked by another program: its members must be uncompressed.")
                )
        if sum(entry.file_size for entry in entries) > archive_bytes:
            raise UnusableArchive(translatable("Its members are larger than the file."))
        if self._zip.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
            raise UnusableArchive(
                translatable(
                    "%(manifest)s is larger than %(max_manifest_bytes)s bytes.",
                    manifest=MANIFEST,
                    max_manifest_bytes=MAX_MANIFEST_BYTES,
                )
            )

    def _verify(self, known: list[re.Pattern[str]]) -> None:
        members = self.manifest.members
        if {*members, MANIFEST} != set(self._zip.namelist()):
            raise UnusableArchive(translatable("Its members are not those that %(manifest)s names.", manifest=MANIFEST))
        for name, member in members.items():
            if not any(pattern.fullmatch(name) for pattern in known):
                raise UnusableArchive(
                    translatable("It has a member that this OwnSona does not know: %(name)s.", name=repr(name)[:100])
                )
            verify_member(self._zip, name, member)
