"""One file to import."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

SAMPLE_BYTES: Final = 64 * 1024
"""Length of the beginning of a file from which its format is detected."""


@dataclass(frozen=True, slots=True)
class ImportFile:
    """A file to import.

    `stream` is seekable. `name` is for people; in an archive it is the path of the member. `log` is the write-ahead
    log of an SQLite database, if there is one beside it. An `is_member` is one of many files, of which some may have
    no memories. `archives` is the number of archives in which the file is.
    """

    stream: BinaryIO
    name: str
    log: Path | None = None
    is_member: bool = False
    archives: int = 0

    @property
    def base_name(self) -> str:
        """The name without folders."""
        return PurePosixPath(self.name.replace("\\", "/")).name

    @property
    def suffix(self) -> str:
        """The end of the name in lower case, with its dot, or the empty string."""
        return PurePosixPath(self.base_name).suffix.lower()

    def sample(self) -> bytes:
        """Return the beginning of the file, and go back to it."""
        self.stream.seek(0)
        sample = self.stream.read(SAMPLE_BYTES)
        self.stream.seek(0)
        return sample
