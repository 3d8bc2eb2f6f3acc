"""The parts in which a page shows a long text. They end between paragraphs, or else between sentences or words."""

from __future__ import annotations

import re

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
