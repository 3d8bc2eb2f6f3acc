"""Differences between two texts, word by word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

MAX_WORDS = 3_000
"""Longer texts are shown as a whole, before and after: a bound on the cost."""

_WORDS = re.compile(r"\s+|[^\W_]+|[\W_]", re.UNICODE)

PartKind = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text that is in both texts, or in one of them alone."""

    kind: PartKind
    text: str


def diff_words(before: str, after: str) -> list[Part]:
    """Return the parts of both texts, in their order. Those that are "same" or "added" make up `after`."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(old), len(new)) > MAX_WORDS:
        return _present([Part("removed", before), Part("added", after)])
    parts: list[Part] = []
    for operation, first, last, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if operation == "equal":
            parts.append(Part("same", "".join(old[first:last])))
        else:
            parts += [Part("removed", "".join(old[first:last])), Part("added", "".join(new[begin:end]))]
    return _present(parts)


def _present(parts: Sequence[Part]) -> list[Part]:
    return [part for part in parts if part.text]
