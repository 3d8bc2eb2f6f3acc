"""Identifiers in a question: "E7777", "HER-1500", "9fceb02", "FF_DARK_MODE". An identifier that no memory contains is
unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

from memories.relations.vocabulary import FUNCTION_WORDS

MAX_CHARS = 160
"""Maximum length of a question in characters for identifiers to count. In a longer one, they are mostly quoted code."""

_SPLIT = r"(?<![\w.-])[A-Z]{2,}-(?P<number>\d{2,})(?![\w-])"
_MIXED = r"(?<![\w.-])(?P<mixed>(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{4,})(?![\w-]|\.\w)"
_JOINED = r"(?<![\w.-])(?P<joined>[^\W_]+(?:_[^\W_]+)+)(?![\w-])"
_IDENTIFIER = re.compile(f"{_SPLIT}|(?i:{_MIXED})|{_JOINED}")

_AMOUNT = re.compile(r"\d+[a-z]+|\d+[hx]\d+", re.IGNORECASE)
"""A number with its unit or ending, or a time: "10am", "250ml", "20th", "19h30"."""

_PREFIX, _SHORT = 4, 3
"""Numbers of letters by which the parts of a name with underscores are compared with stems, and with short stems."""


def has_unknown_identifier(text: str, terms: Iterable[str]) -> bool:
    """Return whether `text` has an identifier with a part that is in none of the `terms` that memories have."""
    parts = list(_parts(text)) if len(text) <= MAX_CHARS else []
    if not parts:
        return False
    known = set(terms)
    beginnings = {term[:_PREFIX] for term in known}
    return not all(_is_known(part, known, beginnings) for part in parts)


def _is_known(part: str, terms: Set[str], beginnings: Set[str]) -> bool:
    if part in terms or part in FUNCTION_WORDS or (part.isalpha() and len(part) < _SHORT):
        return True
    return part.isalpha() and (part[:_PREFIX] in beginnings or part[:_SHORT] in terms)


def _parts(text: str) -> Iterator[str]:
    """Yield the parts of identifiers as the terms of a text have them, but not yet as stems."""
    for found in _IDENTIFIER.finditer(text):
        if found["number"]:
            yield found["number"]
        elif found["joined"]:
            yield from found["joined"].lower().split("_")
        elif not _AMOUNT.fullmatch(found["mixed"]):
            yield found["mixed"].lower()
