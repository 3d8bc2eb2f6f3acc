"""Division of a document into chunks, the passages that are embedded and found, in pure functions.

A chunk never crosses a heading. It ends where a paragraph ends if possible, else where a sentence does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from documents.extraction.extracted import Block
from memories.embeddings.windows import text_windows

CHUNK_CHARS = 800
"""Length of a full chunk in characters, about 180 tokens of English."""

LONGEST_CHUNK_CHARS = 1_200
"""Greatest length of a chunk: a paragraph up to this length is not divided."""

SEPARATOR = "\n\n"
"""Separator of blocks in the text of a document."""

HEADING_SEPARATOR = " › "


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A passage of a document: `text[start:end]` of its text, the headings above it, and the page it begins on."""

    start: int
    end: int
    heading: str
    page: int | None


@dataclass(frozen=True, slots=True)
class Outline:
    """The text of a document, and its chunks in order."""

    text: str
    chunks: Sequence[ChunkDraft]


@dataclass(slots=True)
class _Section:
    """The blocks below one heading, as spans of the text with their pages."""

    heading: str
    parts: list[tuple[int, int, int | None]] = field(default_factory=list)


def context_of(title: str, heading: str) -> str:
    """Return the title and the headings above a chunk, which are searched with it.

    The title is often the highest heading, and then stands there once.
    """
    if not heading or heading == title or heading.startswith(f"{title}{HEADING_SEPARATOR}"):
        return heading or title
    return f"{title}{HEADING_SEPARATOR}{heading}"


def outline_of(blocks: Iterable[Block]) -> Outline:
    """Return the text of the blocks with its chunks. A heading with nothing at all below it is a chunk of its own."""
    kept = list(blocks)
    text = SEPARATOR.join(block.text for block in kept)
    chunks = [chunk for section in _sections(kept) for chunk in _chunks_of(section, text)]
    return Outline(text, chunks)


def _sections(blocks: Sequence[Block]) -> Iterator[_Section]:
    """Yield the sections that have text, in order."""
    path: list[Block] = []
    section = _Section("")
    start = 0
    for place, block in enumerate(blocks):
        end = start + len(block.text)
        if block.kind == "heading":
            if section.parts:
                yield section
            path = [*(above for above in path if above.level < block.level), block]
            section = _Section(HEADING_SEPARATOR.join(" ".join(above.text.split()) for above in path))
        if block.kind != "heading" or _is_childless(block, blocks[place + 1 : place + 2]):
            section.parts.append((start, end, block.page))
        start = end + len(SEPARATOR)
    if section.parts:
        yield section


def _is_childless(heading: Block, following: Sequence[Block]) -> bool:
    """Return whether nothing is below the heading: neither text nor a lower heading."""
    return all(block.kind == "heading" and block.level <= heading.level for block in following)


def _chunks_of(section: _Section, text: str) -> Iterator[ChunkDraft]:
    """Yield the chunks of a section: whole blocks while they fit, and parts of long ones."""
    open_chunk: ChunkDraft | None = None
    for start, end, page in section.parts:
        if open_chunk is not None and end - open_chunk.start <= CHUNK_CHARS:
            open_chunk = ChunkDraft(open_chunk.start, end, section.heading, open_chunk.page)
            continue
        if open_chunk is not None:
            yield open_chunk
            open_chunk = None
        if end - start <= LONGEST_CHUNK_CHARS:
            open_chunk = ChunkDraft(start, end, section.heading, page)
        else:
            yield from _parts(text, start, end, section.heading, page)
    if open_chunk is not None:
        yield open_chunk


def _parts(text: str, start: int, end: int, heading: str, page: int | None) -> Iterator[ChunkDraft]:
    """Yield the parts of a block that is too long for one chunk, cut where sentences or words begin."""
    block = text[start:end]
    for span in text_windows(block, range(len(block) + 1), CHUNK_CHARS, 0):
        yield ChunkDraft(start + span.start, start + span.end, heading, page)
