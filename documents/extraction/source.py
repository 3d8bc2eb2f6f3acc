"""The file that is read, as the extractors of the formats see it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO

from documents.extraction.decoding import detect_encoding
from documents.extraction.limits import Limits

HEAD_BYTES = 4096


@dataclass(frozen=True)
class Source:
    """A file. `name` is a cleaned file name, which is only a hint for the format of a text."""

    path: Path
    name: str
    limits: Limits

    @cached_property
    def head(self) -> bytes:
        """The first 4096 bytes."""
        with self.path.open("rb") as opened:
            return opened.read(HEAD_BYTES)

    @cached_property
    def encoding(self) -> str | None:
        """The encoding of a text; None if the file is not a text."""
        with self.path.open("rb") as opened:
            return detect_encoding(opened)

    @property
    def extension(self) -> str:
        """The extension of the name in lower case, with the dot; empty if there is none."""
        return extension_of(self.name)

    def open_text(self) -> IO[str]:
        """Open the file as text. Bytes that are not characters of its encoding become U+FFFD."""
        return self.path.open(encoding=self.encoding or "utf-8", errors="replace", newline=None)

    def read_text(self, limit_chars: int) -> tuple[str, bool]:
        """Return at most limit_chars characters of the text, and whether there are more."""
        with self.open_text() as opened:
            text = opened.read(limit_chars + 1)
        return text[:limit_chars], len(text) > limit_chars


def extension_of(name: str) -> str:
    """Return the extension of a name in lower case, with the dot; empty if there is none."""
    _, dot, extension = name.rpartition(".")
    return dot + extension.lower() if dot else ""
