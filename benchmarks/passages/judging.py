"""Judging: whether a passage that was found is the one that answers the question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from benchmarks.passages.baselines import Passage
from benchmarks.passages.corpus import Question

LEAST_SHARE = 0.5
"""Share of a snippet that a passage must contain: a snippet may lie on the border of two."""

Spans = Sequence[tuple[int, int]]


def spans_of(snippet: str, text: str) -> list[tuple[int, int]]:
    """Return where a snippet stands in a text. Line breaks and the number of spaces do not count."""
    pattern = r"\s+".join(map(re.escape, snippet.split()))
    return [found.span() for found in re.finditer(pattern, text)]


def place_of(asked: Question, found: Sequence[Passage], texts: Mapping[str, str]) -> int | None:
    """Return the place of the first right passage, from 1; None if there is none."""
    spans = spans_of(asked.snippet, texts[asked.document])
    for place, passage in enumerate(found, start=1):
        if passage.document == asked.document and any(_share(passage, *span) >= LEAST_SHARE for span in spans):
            return place
    return None


def _share(passage: Passage, start: int, end: int) -> float:
    return (min(passage.end, end) - max(passage.start, start)) / (end - start)
