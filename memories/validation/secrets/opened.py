"""Codes that are not called a code: "the padlock is 472", "key safe by the door, 1933", "unlock phone: 1205"."""

from __future__ import annotations

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets import values
from memories.validation.secrets.kinds import FoundSecret, Kind
from memories.validation.secrets.languages.all_languages import any_of, digit_words
from memories.validation.secrets.passages import Passage

_BEGIN, _END = r"(?<![^\W_])", r"(?![^\W_])"
_BLANK, _OPENING = r"[^\S\n]", r"[\"'(*_`“„«]{0,3}"
_WORD = rf"{_BLANK}+[^\W\d_][\w'-]{{0,24}}"
_COLON = rf"{_BLANK}*(?:[:=|]|[-=]>|→)[*_]{{0,2}}{_BLANK}*{_OPENING}"

_SPELLED = rf"(?:{digit_words()})(?:[ ,-]+(?:{digit_words()})){{2,5}}"
_DIGIT_BY_DIGIT = r"\d(?:-\d){2,5}"
_HAS = "has|hat|a|tiene|ha|tem|heeft"
_BY = "with|mit|avec|con|com|met|auf|set to"
_ARTICLES = "the|die|den|le|la|el|il|lo|o|de|het"
_NUMBER = "code|number|nummer|zahl|numero|combination|kombination"
_DETERMINERS = rf"(?:{_BLANK}(?:{_ARTICLES}|{_NUMBER}){_END}){{0,2}}"
_VERB = rf"{_BLANK}(?:{any_of('links')}|{_HAS}|{_BY}){_END}{_DETERMINERS}{_BLANK}{_OPENING}"
_NO_YEAR = r"(?!(?:19|20)\d\d(?!\d))"
# Numbers of locks that are prices and models end in other digits (see noted.py).
_NO_PRICE = r"(?!\d*(?:[09]|[2479]5)(?!\d)|\d*5(?!\d)(?<![2-9]\d5)|\d{3}5(?!\d))"

_LOCK = rf"{_BEGIN}(?:{any_of('noted_dials')}|{any_of('number_locks')}){_END}(?:{_WORD}){{0,4}}?"
_DIALS = rf"{_BEGIN}(?:{any_of('dial_locks')}|{any_of('number_locks')}){_END}(?:{_WORD}){{0,3}}?"
_KEY_BOX = rf"{_BEGIN}{any_of('key_boxes')}{_END}(?:{_WORD}){{0,5}}?"
_UNLOCK = rf"{_BEGIN}{any_of('unlocks')}{_END}(?:{_WORD}){{0,3}}+"

_LOCK_CODES = tuple(
    lazy_pattern(pattern + values.NOTE_END)
    for pattern in (
        rf"{_LOCK}{_VERB}(?P<code>{_NO_YEAR}{_NO_PRICE}\d{{3,4}}|{_SPELLED}|{_DIGIT_BY_DIGIT})",
        rf"{_DIALS}{_BLANK}(?P<code>{_SPELLED})",
        rf"{_KEY_BOX}(?:{_COLON}|{_VERB}|,?{_BLANK}+)(?P<code>(?!\d+00(?!\d))\d{{4,5}}|{_SPELLED})",
    )
)
_UNLOCKING = lazy_pattern(rf"{_UNLOCK}{_COLON}(?P<code>(?!\d+00(?!\d))[*#]?\d{{4,8}}[*#]?){values.NOTE_END}")
_TIME_OR_YEAR = lazy_pattern(r"(?:[01]\d|2[0-3])[0-5]\d|(?:19|20)\d\d")


def opening_code(passage: Passage) -> FoundSecret | None:
    """Return the first code that a lock "is" or "has", or that unlocks something after a colon, or None."""
    for pattern in _LOCK_CODES:
        for found in pattern.finditer(passage.folded):
            if not passage.has("public", *passage.sentence(*found.span())):
                return FoundSecret(Kind.LOCK_CODE, *found.span("code"))
    for found in _UNLOCKING.finditer(passage.folded):
        sentence = passage.sentence(*found.span())
        is_device = passage.has("devices", *sentence)
        # A door is also opened at a time.
        is_lock = passage.has("locks", *sentence) and not _TIME_OR_YEAR.fullmatch(found["code"])
        if (is_device or is_lock) and not passage.has("public", *sentence):
            return FoundSecret(Kind.PIN if is_device else Kind.LOCK_CODE, *found.span("code"))
    return None
