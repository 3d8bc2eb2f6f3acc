"""Parts of a chunk that are embedded. A vector of a long passage says little about each of its sentences."""

from __future__ import annotations

from memories.embeddings.windows import Span, text_windows

PART_CHARS = 450
"""Greatest length of a part in characters, about 100 tokens of English. Measured: docs/decisions/documents.md."""


def part_spans(text: str) -> list[Span]:
    """Return the parts of a chunk's text in order, cut where sentences begin if possible.

    They do not overlap, but the last part begins before the end of the one before if it would be shorter otherwise.
    """
    return text_windows(text, range(len(text) + 1), PART_CHARS, 0)
