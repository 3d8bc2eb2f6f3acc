"""Secrets in notes that only name what they open: "Mum's alarm: 2580", "bike lock 7-3-1", "unlock the iPad: 2468"."""

from __future__ import annotations

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets import values
from memories.validation.secrets.kinds import FoundSecret, Kind
from memories.validation.secrets.languages.all_languages import any_of
from memories.validation.secrets.passages import Passage

_BEGIN, _END = r"(?<![^\W_])", r"(?![^\W_])"
_WORDS = r"(?:\s+(?!\d)[^\W_][\w'-]*){0,5}+"
_COLON = r"\s*(?:[:=]|[-=]>|→)\s*"
_DIALS = r"\d(?:-\d){2,4}"

# A code without a word for it does not end in 00, as amounts do, and is no year.
_CODE = (
    r"(?P<code>(?!\d+00(?!\d)|(?:19|20)\d\d(?!\d))"
    rf"[*#]?(?:\d{{4,6}}|\d(?:[-. ]\d){{3,7}}|\d\d(?: \d\d){{2,3}})[*#]?){values.NOTE_END}"
)
_LOCK = lazy_pattern(rf"{_BEGIN}(?:{any_of('noted_locks')}|{any_of('dial_locks')}){_END}{_WORDS}{_COLON}{_CODE}")
_DIAL_LOCK = lazy_pattern(
    rf"{_BEGIN}{any_of('dial_locks')}{_END}{_WORDS}(?:{_COLON}|\s+(?=\d-))(?P<code>\d{{3}}|{_DIALS}){values.NOTE_END}"
)
_DEVICE = lazy_pattern(rf"{_BEGIN}{any_of('opens')}{_END}{_WORDS}{_COLON}{_CODE}")
_CLOCK_TIME = lazy_pattern(r"(?:[01]?\d|2[0-3])[0-5][05]")
_DIGITS = lazy_pattern(r"\d[- .]?\d[- .]?\d")


def noted_secret(passage: Passage) -> FoundSecret | None:
    """Return the first code that a note gives for a lock or a device, or None."""
    if not _DIGITS.search(passage.folded):
        return None
    for kind, pattern in ((Kind.LOCK_CODE, _LOCK), (Kind.LOCK_CODE, _DIAL_LOCK), (Kind.PIN, _DEVICE)):
        for found in pattern.finditer(passage.folded):
            start, end = passage.sentence(*found.span())
            # Alarms and gates have times.
            is_time = pattern is not _DIAL_LOCK and _CLOCK_TIME.fullmatch(found["code"])
            is_thing = kind is Kind.LOCK_CODE or passage.has("devices", start, end)
            if is_thing and not is_time and not passage.has("public", start, end):
                return FoundSecret(kind, *found.span("code"))
    return None
