"""The result of an extraction: blocks of text with their structure, and what the file says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

BlockKind = Literal["heading", "text", "table", "code"]

Reason = Literal[
    "unsupported",
    "empty",
    "encrypted",
    "damaged",
    "too_large",
    "too_many_pages",
    "timeout",
    "out_of_memory",
    "failed",
]
"""Why nothing was extracted. `failed` is an error of the extraction itself."""

FINAL: Final[frozenset[Reason]] = frozenset({"unsupported", "empty", "encrypted", "damaged"})
"""The reasons that are in the file itself: another attempt would fail in the same way."""


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, a table or a piece of code, in the order of the file.

    `text` is in NFC, is not blank, and has no control characters but line feeds and tabs, and no lone surrogates. Each
    line of a table is a row, with " | " between the cells. `level` is 1 to 6 for headings, otherwise 0. `page` counts
    from 1: the page of a PDF, slide of a presentation, sheet of a workbook or chapter of an EPUB.
    """

    kind: BlockKind
    text: str
    level: int = 0
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text and the properties of a file.

    `created_at` is aware; it is in UTC if the file does not name a time zone. `notes` are sentences for the owner about
    what could not be read. `is_truncated`: the limit of the output or of the pages was reached.
    """

    media_type: str
    blocks: tuple[Block, ...]
    title: str | None = None
    author: str | None = None
    created_at: datetime | None = None
    tags: tuple[str, ...] = ()
    pages: int | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    is_truncated: bool = False


class ExtractionError(Exception):
    """A file from which nothing was extracted. The message is one sentence for the owner."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason
