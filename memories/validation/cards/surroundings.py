"""Characters next to a number that make it a part of something larger."""

from __future__ import annotations

import re

from memories.validation.cards.context import is_card_word

LONGEST_WORD_CHARS = 20
LONGEST_ADDRESS_CHARS = 300

# On a magnetic stripe the number begins with %B.
_WORD_BEFORE = re.compile(r"(?!(?<=%)B\Z)[^\W\d_]+\Z")
_WORD_AFTER = re.compile(r"[^\W\d_]+")
_PLUS_BEFORE = re.compile(r"\+[\s(]?\Z")
_POINT_BEFORE = re.compile(r"(?:[0-9]|(?<![^\s(\[=:,;<>\-]))\.\Z")
_POINT_AFTER = re.compile(r"\.[0-9]")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.\-]*://|www\.)\S*\Z", re.IGNORECASE)
_PART_BEFORE = re.compile(r"(?:[#@/\\$€£¥&]!?|\w[_\-\u2010\u2011]|(?<!\S)-|:\w+:|[0-9],|[0-9)!]\s?=\s?)\Z")
_PART_AFTER = re.compile(
    r"[\\@%‰°$€£¥]|[_\-\u2010\u2011]\w|\.[a-z]|,[0-9]{1,2}(?![0-9/,;|\-])"
    r"|/(?!\s?(?:0[1-9]|1[0-2])[/|\-]?(?:20)?[2-4][0-9])"
)
_FIELD_AFTER = re.compile(r"[,;|]\S")


def is_part_of_number(text: str, start: int, end: int) -> bool:
    """Return whether `text[start:end]` is a fraction, a phone number, or part of a URL or of a word like a digest."""
    before, after = text[max(0, start - LONGEST_WORD_CHARS) : start], text[end : end + LONGEST_WORD_CHARS]
    return bool(
        _PLUS_BEFORE.search(before)
        or _POINT_BEFORE.search(before)
        or _POINT_AFTER.match(after)
        or _is_glued(_WORD_BEFORE.search(before))
        or _is_glued(_WORD_AFTER.match(after))
        or (not before.endswith("=") and _is_in_address(text, start))
    )


def is_part_of_something(text: str, start: int, end: int) -> bool:
    """Return whether the characters around make `text[start:end]` an id, a path, an amount or a file name.

    Applies only if no word says that the number is a card.
    """
    before, after = text[max(0, start - LONGEST_WORD_CHARS) : start], text[end : end + LONGEST_WORD_CHARS]
    sign = _PART_BEFORE.search(before)
    if sign and sign[0].endswith(",") and _FIELD_AFTER.match(after):
        sign = None  # A row of values, not a decimal comma.
    return bool(sign or _PART_AFTER.match(after) or _is_in_address(text, start))


def _is_glued(word: re.Match[str] | None) -> bool:
    """Return whether letters touch the number, in a script that separates words, and are not a word for cards."""
    if word is None or word[0].lower() == word[0].upper():
        return False
    return not is_card_word(word[0])


def _is_in_address(text: str, start: int) -> bool:
    return _ADDRESS.search(text[max(0, start - LONGEST_ADDRESS_CHARS) : start]) is not None
