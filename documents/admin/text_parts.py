"""The parts in which a page shows a long text. They end between paragraphs, or else between sentences or words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from documents.chunking import HEADING_SEPARATOR, SEPARATOR
from documents.selectors import TextPart

_ENDS = (re.compile(r"\n[^\S\n]*\n\s*"), re.compile(r"\n\s*|[.!?…]\s+"), re.compile(r"\s+"))
"""The ends of paragraphs, of sentences and of words."""


def end_of_part(text: str) -> int:
    """Return the position after the last paragraph, sentence or word that ends in the second half of `text`."""
    for pattern in _ENDS:
        ends = [found.end() for found in pattern.finditer(text, len(text) // 2)]
        if ends:
            return ends[-1]
    return len(text)


def start_of_part(text: str) -> int:
    """Return the position of the first paragraph, sentence or word that begins in the first half of `text`."""
    for pattern in _ENDS:
        if found := pattern.search(text, 0, len(text) // 2):
            return found.end()
    return 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A heading, or the text up to the next one."""

    text: str
    is_heading: bool


def pieces_of(part: TextPart, title: str) -> list[Piece]:
    """Return the part of a text as headings and the text between them.

    The headings are those of its chunks. The title, with which a text often begins, is left out: the page has it.
    """
    headings = {heading for chunk in part.chunks for heading in chunk.heading.split(HEADING_SEPARATOR)}
    pieces = list(_pieces(part.text.split(SEPARATOR), headings))
    is_title = part.start == 0 and pieces[:1] == [Piece(title, True)]
    return pieces[1:] if is_title else pieces


def _pieces(paragraphs: list[str], headings: set[str]) -> Iterator[Piece]:
    for is_heading, group in groupby(paragraphs, key=lambda paragraph: " ".join(paragraph.split()) in headings):
        if is_heading:
            yield from (Piece(" ".join(heading.split()), True) for heading in group)
        else:
            yield Piece(SEPARATOR.join(group), False)
