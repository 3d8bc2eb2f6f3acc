"""Collection of blocks and properties while a file is read, within the limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from documents.extraction.cleaning import clean_text, collapse_spaces, one_line
from documents.extraction.extracted import Block, BlockKind

MAX_BLOCK_CHARS: Final = 50_000
"""A longer block is divided, so that each message between the processes has a limited size."""

MAX_BLOCKS: Final = 300_000
MAX_PROPERTY_CHARS: Final = 1_000
MAX_PROPERTIES: Final = 100
MAX_TAG_CHARS: Final = 100
PROGRESS_SECONDS: Final = 0.2


class OutputFull(Exception):
    """The limit of the output is reached. What was added before is kept."""


class Output:
    """A receiver of blocks, which it cleans and passes on, and of the properties of the document.

    `pages` is the number of pages of the document, even if fewer were read.
    """

    def __init__(
        self, limit_chars: int, send: Callable[[Block], object], report: Callable[[int, int | None], object]
    ) -> None:
        self._left_chars = limit_chars
        self._left_blocks = MAX_BLOCKS
        self._send = send
        self._report = report
        self._reported_at = 0.0
        self.is_empty = True
        self.is_truncated = False
        self.media_type = ""
        self.title: str | None = None
        self.author: str | None = None
        self.created_at: datetime | None = None
        self.tags: tuple[str, ...] = ()
        self.pages: int | None = None
        self.metadata: dict[str, str] = {}
        self.notes: list[str] = []

    def heading(self, text: str, level: int, page: int | None = None) -> None:
        """Add a heading. Levels beyond 1 to 6 become the nearest of these. Raises OutputFull."""
        self._add("heading", one_line(text), min(max(level, 1), 6), page)

    def text(self, text: str, page: int | None = None) -> None:
        """Add a paragraph, or a list with an entry in each line. Raises OutputFull."""
        self._add("text", collapse_spaces(clean_text(text)), 0, page)

    def outline(self, text: str, page: int | None = None) -> None:
        """Add a paragraph or a list, as `text`. Two spaces before the mark of an entry for each level are kept."""
        self._add("text", collapse_spaces(clean_text(text), keeps_levels=True), 0, page)

    def code(self, text: str, page: int | None = None) -> None:
        """Add text whose spaces matter. Raises OutputFull."""
        self._add("code", clean_text(text).rstrip().lstrip("\n"), 0, page)

    def table(self, rows: Iterable[Sequence[str]], page: int | None = None) -> None:
        """Add a table. Empty cells at the end of a row and empty rows are left out. Raises OutputFull."""
        for lines in _grouped(_lines(rows)):
            self._add("table", lines, 0, page)

    def set_title(self, text: str | None) -> None:
        """Set the title, unless there is one already."""
        self.title = self.title or _property(text)

    def set_author(self, text: str | None) -> None:
        """Set the author, unless there is one already."""
        self.author = self.author or _property(text)

    def set_created_at(self, moment: datetime | None) -> None:
        """Set the time of creation, unless there is one already. A time without a zone is in UTC."""
        if self.created_at is None and moment is not None:
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            # ISO 8601 has no seconds in offsets, but Python reads them.
            is_usual = (moment.utcoffset() or timedelta()) % timedelta(minutes=1) == timedelta()
            self.created_at = moment if is_usual else moment.astimezone(UTC)

    def set_tags(self, tags: Iterable[str]) -> None:
        """Set the tags, without empty ones and duplicates."""
        cleaned = (one_line(tag)[:MAX_TAG_CHARS].strip() for tag in tags)
        self.tags = tuple(dict.fromkeys(tag for tag in cleaned if tag))[:MAX_PROPERTIES]

    def add_metadata(self, name: str, text: str | None) -> None:
        """Add a property, unless it is empty."""
        value = _property(text)
        if value and len(self.metadata) < MAX_PROPERTIES:
            self.metadata[one_line(name)[:MAX_TAG_CHARS]] = value

    def note(self, sentence: str) -> None:
        """Add a sentence for the owner, once."""
        if sentence not in self.notes and len(self.notes) < MAX_PROPERTIES:
            self.notes.append(sentence)

    def progress(self, done: int, total: int | None) -> None:
        """Report the number of pages that were read, at most five times a second."""
        now = time.monotonic()
        if now - self._reported_at >= PROGRESS_SECONDS or done == total:
            self._reported_at = now
            self._report(done, total)

    def _add(self, kind: BlockKind, text: str, level: int, page: int | None) -> None:
        for part in _divided(text):
            if part.isspace():
                continue
            kept = part[: self._left_chars]
            if kept and not kept.isspace() and self._left_blocks:
                self._send(Block(kind, kept, level, page))
                self.is_empty = False
            self._left_chars -= len(kept)
            self._left_blocks -= 1
            if len(kept) < len(part) or self._left_blocks < 0:
                self.is_truncated = True
                raise OutputFull


def _property(text: str | None) -> str | None:
    return one_line(text)[:MAX_PROPERTY_CHARS].strip() or None if text else None


def _lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in rows:
        cells = [one_line(cell).replace("|", "¦") for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield " | ".join(cells)


def _grouped(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines joined up to the size of a block, so that a large table is never in memory as a whole."""
    group: list[str] = []
    size = 0
    for line in lines:
        if group and size + len(line) > MAX_BLOCK_CHARS:
            yield "\n".join(group)
            group, size = [], 0
        group.append(line)
        size += len(line) + 1
    if group:
        yield "\n".join(group)


def _divided(text: str) -> Iterator[str]:
    """Yield parts of at most MAX_BLOCK_CHARS, divided at the end of a line or between words if possible."""
    start = 0
    while len(text) - start > MAX_BLOCK_CHARS:
        limit = start + MAX_BLOCK_CHARS
        end = max(text.rfind("\n", start, limit), 0) or max(text.rfind(" ", start, limit), 0)
        end = end if end > start else limit - 1
        yield text[start : end + 1].strip("\n") or text[start : end + 1]
        start = end + 1
    if start < len(text):
        yield text[start:]
