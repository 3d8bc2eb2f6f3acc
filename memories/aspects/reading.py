"""The aspect of the owner that a text tells: name, health, family, home or work."""

from __future__ import annotations

from enum import StrEnum

from common.lazy_pattern import lazy_pattern
from memories.aspects.vocabulary import CLAUSE_START, EXPRESSIONS

READ_CHARS = 300
"""Number of characters of a text that are read. Such statements come first in a text."""

MAX_SENTENCES = 4
"""Number of sentences that are read."""


class Aspect(StrEnum):
    """Something about the owner that every assistant needs to know. The first one decides about a text with several."""

    NAME = "name"
    HEALTH = "health"
    FAMILY = "family"
    HOME = "home"
    WORK = "work"


_PATTERNS = {aspect: lazy_pattern(rf"(?:{'|'.join(EXPRESSIONS[aspect])})") for aspect in Aspect}
_SENTENCE_END = lazy_pattern(r"[.!?;\n]\s+")
_START = lazy_pattern(CLAUSE_START)


def aspect_of(text: str) -> Aspect | None:
    """Return the aspect of the owner that a text tells, or of those who are close to them; None for most texts.

    English, German, French, Spanish and Italian. Only the beginnings of sentences are compared: "my wife is called Ada"
    is about the family, "a book about my wife" is not.
    """
    start = text[:READ_CHARS].lower().replace("’", "'")
    sentences = [each for each in _SENTENCE_END.split(start, MAX_SENTENCES)[:MAX_SENTENCES] if each]
    beginnings = [sentence[found.end() :] for sentence in sentences if (found := _START.match(sentence))]
    for aspect, pattern in _PATTERNS.items():
        for beginning in beginnings:
            if pattern.match(beginning) and not beginning.rstrip().endswith("?"):
                return aspect
    return None
