"""Sentences about something that happens once, such as an appointment, in which a bare day is a date."""

from __future__ import annotations

from common.lazy_pattern import lazy_pattern
from memories.times.patterns import LANGUAGES
from memories.times.phrases import fold

_OCCASION = lazy_pattern(rf"\b(?:{'|'.join(words.cues.occasion for words in LANGUAGES)})\b")
_ROUTINE = lazy_pattern(rf"\b(?:{'|'.join(words.cues.routine for words in LANGUAGES)})\b")
_WEEKDAYS = "|".join(name for words in LANGUAGES for name in words.weekdays)
# "Not Tuesday" says which day is not meant, and not that nothing happens.
_NEGATION = lazy_pattern(
    rf"\b(?:not|nicht|kein\w{{0,2}}|pas|no|non|[a-z]+n['’]t)\b"
    rf"(?! (?:more |mehr |plus |mas |piu )?(?:on |am |le |el |il )?(?:{_WEEKDAYS})\b)"
)
_SENTENCE_END = lazy_pattern(r"[.!?;](?=\s|$)|\n")


_NEAR_CHARS = 200
"""Number of characters before and after a day that are read."""


def is_of_occasion(text: str, start: int, end: int) -> bool:
    """Return whether the sentence around a place in a text is about something that happens once."""
    first = max(0, start - _NEAR_CHARS)
    for found in _SENTENCE_END.finditer(text, first, start):
        first = found.end()
    last = _SENTENCE_END.search(text, end, end + _NEAR_CHARS)
    sentence = fold(text[first : last.start() if last else end + _NEAR_CHARS])
    return _OCCASION.search(sentence) is not None and not (_ROUTINE.search(sentence) or _NEGATION.search(sentence))
