"""Secrets in notes that only name what they open: "Mum's alarm: 2580", "bike lock 7-3-1", "unlock the iPad: 2468"."""

from __future__ import annotations

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets import values
from memories.validation.secrets.kinds import FoundSecret, Kind
from memories.validation.secrets.languages.all_languages import any_of
from memories.validation.secrets.passages import Passage

_BEGIN, _END = r"(?<![^\W_])", r"(?![^\W_])"
_BLANK, _OPENING = r"[^\S\n]", r"[\"'(*_`“„«]{0,3}"
_WORD = rf"{_BLANK}+[^\W\d_][\w'-]*"
_FEW_WORDS = rf"(?:{_WORD}){{0,3}}+"
_PLACE = rf"(?:{_BLANK}+{any_of('of')}(?:{_WORD}){{1,3}}+)?"
_LINK = rf"[\"')*_`”»]{{0,3}}{_BLANK}*(?:[:=|]|[-=]>|→)[*_]{{0,2}}{_BLANK}*{_OPENING}"

# A code without a word for it does not end in 00, as amounts do, and is no year or time.
_CODE = (
    r"(?P<code>(?!\d+00(?!\d)|(?:19|20)\d\d(?!\d)|(?:[01]\d|2[0-3])[0-5]\d(?!\d))"
    rf"[*#]?(?:\d{{4,5}}|\d(?:[-. ]\d){{3,7}})[*#]?){values.NOTE_END}"
)
_DIALS = rf"(?P<code>\d(?:-\d){{2,4}}){values.NOTE_END}"

_NOTES = (
    (Kind.LOCK_CODE, lazy_pattern(rf"{_BEGIN}{any_of('noted_locks')}{_END}{_PLACE}{_LINK}{_CODE}")),
    (Kind.LOCK_CODE, lazy_pattern(rf"{_BEGIN}{any_of('dial_locks')}{_END}{_FEW_WORDS}(?:{_LINK}|{_BLANK}+){_DIALS}")),
    (Kind.PIN, lazy_pattern(rf"{_BEGIN}{any_of('unlocks')}{_END}{_FEW_WORDS}{_LINK}{_CODE}")),
)
_DIGITS = lazy_pattern(r"\d[- .]?\d[- .]?\d")


def noted_secret(passage: Passage) -> FoundSecret | None:
    """Return the first code that a note gives for a lock or a device, or None."""
    if not _DIGITS.search(passage.folded):
        return None
    for kind, pattern in _NOTES:
        for found in pattern.finditer(passage.folded):
            start, end = passage.sentence(*found.span())
            is_thing = kind is Kind.LOCK_CODE or passage.has("devices", start, end)
            if is_thing and not passage.has("public", start, end):
                return FoundSecret(kind, *found.span("code"))
    return None
