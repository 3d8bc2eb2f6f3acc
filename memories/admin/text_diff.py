"""Differences between two texts, word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

MAX_WORDS = 600
"""Number of words up to which texts are compared. Longer ones are shown as a whole, before and after."""

# A placeholder of a hidden value is one word.
_WORDS = re.compile(r"\[hidden: [\w ]{1,20} #\d{1,15}\]|\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text. `kind` is "same", "del" for what was removed, or "ins" for what was added."""

    kind: str
    text: str


def diff(before: str, after: str) -> list[Piece]:
    """Return the pieces of both texts in the order in which they are read."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if not old or not new or max(len(old), len(new)) > MAX_WORDS:
        return [Piece(kind, text) for kind, text in (("del", before), ("ins", after)) if text]
    pieces: list[Piece] = []
    for operation, i, j, k, m in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if operation == "equal":
            pieces.append(Piece("same", "".join(old[i:j])))
            continue
        pieces += [Piece(kind, text) for kind, text in (("del", "".join(old[i:j])), ("ins", "".join(new[k:m]))) if text]
    return pieces
