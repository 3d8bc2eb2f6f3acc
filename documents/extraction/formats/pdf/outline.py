"""The outline (bookmarks) of a PDF document, whose entries are its headings."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

import pypdfium2

from documents.extraction.cleaning import one_line

MAX_ENTRIES: Final = 10_000
MAX_DEPTH: Final = 6

Outline = dict[int, dict[str, int]]
"""The levels of headings, from 1, by the index of their page and their normalized text."""


def read_outline(document: Any) -> Outline:
    """Return the entries of the outline; empty if there is none or it is damaged."""
    found: Outline = defaultdict(dict)
    try:
        for count, entry in enumerate(document.get_toc(max_depth=MAX_DEPTH)):
            if count >= MAX_ENTRIES:
                break
            destination = entry.get_dest()
            page = destination.get_index() if destination else None
            if page is not None and (text := normalized(entry.get_title())):
                found[page].setdefault(text, entry.level + 1)
    except (pypdfium2.PdfiumError, ValueError):
        return {}
    return dict(found)


def normalized(text: str) -> str:
    """Return the letters and digits of a heading, without its number, to compare it with a line."""
    return "".join(character for character in one_line(text).casefold() if character.isalnum()).lstrip("0123456789")
