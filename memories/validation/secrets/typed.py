"""Secrets without a name that open something: "type 60824 to switch off the alarm", "the file opens with Tiroir#14"."""

from __future__ import annotations

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets import values
from memories.validation.secrets.kinds import FoundSecret, Kind
from memories.validation.secrets.languages.all_languages import any_of
from memories.validation.secrets.passages import Passage

_BEGIN, _END = r"(?<![^\W_])", r"(?![^\W_])"
_FILLERS = rf"(?:\s*{_BEGIN}{any_of('fillers')}{_END}){{0,3}}"
_CONJUNCTIONS = (
    "and|und|et|y|e|then|dann|puis|luego|poi|or|oder|before|on|at|into|for|when|bevor|am|an|ab|sur|sul|nel|"
    "avant|antes|prima|within|innerhalb|binnen|entro"
)
_AFTER = rf"(?=\s*(?:$|[.,;!?)\]\n#*]|-\s|(?:{_CONJUNCTIONS}|{any_of('spellings')}|{any_of('late_entries')}){_END}))"
"""After a code; other words would make it an amount."""
_CODE = rf"(?P<code>{values.CODE})"

_ENTERED = lazy_pattern(rf"{_BEGIN}{any_of('entries')}{_FILLERS}:?\s+{_CODE}{_AFTER}")
_NO_TIME = r"(?<!\bum )(?<!\bab )(?<!\bat )(?<!\bby )"
_THEN_ENTERED = lazy_pattern(rf"(?<![\w.,:/-]){_NO_TIME}{_CODE}\s+{any_of('late_entries')}{_END}")
_THEN_KEY = lazy_pattern(rf"(?<![\w.,:/-]){_CODE},?\s+{any_of('key_presses')}{_END}")
_OPENED_BY = lazy_pattern(rf"{_BEGIN}{any_of('by')}{_FILLERS}\s+{_CODE}{_AFTER}")
_OPENED_WITH = lazy_pattern(rf"{_BEGIN}(?:with|mit|avec|con|com|met)\s+{_CODE}{_AFTER}")
"""A year after these words is no time."""
_OTHER_CODE = lazy_pattern(
    rf"{_BEGIN}(?:{any_of('other_codes')}[- ]?{any_of('codes')}|{any_of('codes')} {any_of('other_codes_after')}){_END}"
)
_NO_YEARS = (_ENTERED, _THEN_ENTERED, _OPENED_BY)
_OPENINGS = (_OPENED_BY, _OPENED_WITH)
_WITH_CODE = (*_NO_YEARS, _OPENED_WITH, _THEN_KEY)
_CLOCK_TIME = lazy_pattern(r"(?:[01]\d|2[0-3])[0-5][05]")
_CLOCKS = lazy_pattern(rf"{_BEGIN}(?:alarms?|wecker|alarme|reveil|alarma|despertador|sveglia){_END}")

_WORD_ENTERED = lazy_pattern(rf"{_BEGIN}(?:{any_of('by')}|{any_of('entries')})\s+(?=\S*[^\W_])")
_WORD_THEN_ENTERED = lazy_pattern(rf"(?<!\S)(?=\S{{6,64}}\s+{any_of('late_entries')}{_END})")
_USER = lazy_pattern(
    rf"(?<!://){_BEGIN}(?:(?:admin|root|user|guest|gast|administrator)(?:\s/\s|:\s?|\s?\|\s?)|[^\s@]{{1,64}}@[^\s@]{{1,64}}\s?[/:|]\s|"
    rf"{any_of('logins')}\s?[:=]\s[^\s/|]{{1,64}}\s[/|]\s)"
)
_NETWORK = lazy_pattern(rf"{_BEGIN}{any_of('networks')}{_END}(?!\s*(?:called|named|name|ssid|network))")
_QUOTATION_MARKS = "\"“„«`'"
_NETWORK_LINK = lazy_pattern(rf"[^.!?;:\n]{{0,30}}?(?:'s|{_BEGIN}{any_of('links')}|:|=)\s+(?=[{_QUOTATION_MARKS}])")


def typed_secret(passage: Passage) -> FoundSecret | None:
    """Return the first code or password in a passage that is said to open something, or None."""
    return _typed_code(passage) or _typed_password(passage)


def _typed_code(passage: Passage) -> FoundSecret | None:
    for pattern in (*_WITH_CODE, values.ONE_BY_ONE, values.TURNS):
        for found in pattern.finditer(passage.folded):
            start, end = found.span("code" if pattern in _WITH_CODE else 0)
            if pattern in _NO_YEARS and values.YEAR.fullmatch(passage.folded, start, end):
                continue
            sentence = passage.sentence(*found.span())
            if pattern in _OPENINGS and not _is_opened(passage, passage.folded[start:end], *sentence):
                continue
            kind = _opened_thing(passage, *sentence)
            if kind and not passage.has("public", *sentence) and not _OTHER_CODE.search(passage.folded, *sentence):
                return FoundSecret(kind, start, end)
    return None


def _is_opened(passage: Passage, code: str, start: int, end: int) -> bool:
    """Return whether a sentence is about opening something, rather than setting an alarm clock."""
    is_clock_set = _CLOCK_TIME.fullmatch(code) and _CLOCKS.search(passage.folded, start, end)
    return passage.has("opens", start, end) and not is_clock_set


def _opened_thing(passage: Passage, start: int, end: int) -> Kind | None:
    if passage.has("locks", start, end):
        return Kind.LOCK_CODE
    return Kind.PIN if passage.has("devices", start, end) else None


def _typed_password(passage: Passage) -> FoundSecret | None:
    for pattern in (_WORD_ENTERED, _WORD_THEN_ENTERED):
        for found in pattern.finditer(passage.folded):
            end = _end_of_strong_password(passage, found.end())
            if end is not None and _opens_account(passage, *found.span()):
                return FoundSecret(Kind.PASSWORD, found.end(), end)
    return _paired(passage) or _of_network(passage)


def _paired(passage: Passage) -> FoundSecret | None:
    """Return the password that follows the name of a user: "admin / Hydrangea2021"."""
    if not any(sign in passage.folded for sign in "/:|"):
        return None
    for found in _USER.finditer(passage.folded):
        end = _end_of_strong_password(passage, found.end())
        if end is not None:
            return FoundSecret(Kind.PASSWORD, found.end(), end)
    return None


def _end_of_strong_password(passage: Passage, place: int) -> int | None:
    token = values.token_at(passage.text, place)
    if token is None or not values.is_strong_password(token):
        return None
    return values.end_of(token, passage.text, place)


def _opens_account(passage: Passage, start: int, end: int) -> bool:
    start, end = passage.sentence(start, end)
    has_account = passage.has("accounts", start, end) or passage.has("devices", start, end)
    is_opened = passage.has("opens", start, end) or passage.has("late_entries", start, end)
    return has_account and is_opened and not passage.has("public", start, end)


def _of_network(passage: Passage) -> FoundSecret | None:
    """Return the password of a network in quotation marks: 'the guest Wi-Fi is "Hydrangea2021"'."""
    if not any(mark in passage.folded for mark in _QUOTATION_MARKS):
        return None
    for found in _NETWORK.finditer(passage.folded):
        link = _NETWORK_LINK.match(passage.folded, found.end())
        quoted = link and values.quoted_at(passage.text, link.end())
        if link and quoted and values.is_strong_password(quoted):
            return FoundSecret(Kind.PASSWORD, link.end(), values.end_of(quoted, passage.text, link.end()))
    return None
