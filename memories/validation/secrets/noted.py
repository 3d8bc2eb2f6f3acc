"""Secrets in notes that only name what they open: "Mum's alarm: 2580", "bike lock 7-3-1", "Safe: 448120"."""

from __future__ import annotations

from itertools import islice

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

# A code without a word for it does not end in 00, as amounts do, and is not a year or time.
_CODE = (
    r"(?P<code>(?!\d+00(?!\d)|(?:19|20)\d\d(?!\d)|(?:[01]\d|2[0-3])[0-5]\d(?!\d))"
    rf"[*#]?(?:\d{{4,5}}|\d(?:[-. ]\d){{3,7}})[*#]?){values.NOTE_END}"
)
_DIALS = rf"(?P<code>\d(?:-\d){{2,4}}){values.NOTE_END}"

# A keypad has "#", and only codes end in it.
_TYPED = rf"(?P<code>\d{{3,8}}#){values.NOTE_END}"

_NOTES = (
    lazy_pattern(rf"{_BEGIN}{any_of('locks')}{_END}{_FEW_WORDS}(?:{_LINK}|{_BLANK}+){_TYPED}"),
    lazy_pattern(rf"{_BEGIN}{any_of('noted_locks')}{_END}{_PLACE}{_LINK}{_CODE}"),
    lazy_pattern(rf"{_BEGIN}{any_of('dial_locks')}{_END}{_FEW_WORDS}(?:{_LINK}|{_BLANK}+){_DIALS}"),
)
# A safe or a lock also has a price, and a gate a number: such a note says nothing else, and has no usual price.
_START = rf"(?:^|(?<=\n))(?:[-*•]{_BLANK}*)?[*_]{{0,2}}(?:{any_of('owned')}{_BLANK}+)?"
_LINE_END = r"[\"'”“»`)*.!]{0,3}(?=[^\S\n]*(?:\n|$))"


def _code(digits: str, no_price: str) -> str:
    """Return an expression for a code of so many digits that ends its line, and is not a year, time or usual price."""
    no_year_or_time = r"(?!(?:19|20)\d\d(?!\d)|(?:[01]\d|2[0-3])[0-5]\d(?!\d))"
    return rf"(?P<code>{no_year_or_time}{no_price}\d{{{digits}}}){_LINE_END}"


_OR_BLANK = rf"(?:{_LINK}|{_BLANK}+)"
# Most prices end in 0, 5 or 9; those of three digits in 25, 45, 75 or 95, or in any 5 below 200.
_NO_PRICE = r"(?!\d*[059](?!\d))"
_NO_SMALL_PRICE = r"(?!\d*(?:[09]|[2479]5)(?!\d)|\d*5(?!\d)(?<![2-9]\d5)|\d{3}5(?!\d))"
_NO_GATE_PRICE = r"(?!\d*(?:[05]0|9\d|49)(?!\d))"
_LONG_CODE = rf"(?P<code>(?!\d+00(?!\d)|(?:19|20)\d{{6}}(?!\d))[*#]?\d{{6,8}}[*#]?){values.NOTE_END}"
# A note with several numbers may be a list of prices, or of rooms and flights.
_PRICED_LINE = lazy_pattern(rf"[:=|]{_BLANK}*\D{{0,3}}\d[\d.,]{{0,8}}[^\w\n]{{0,3}}(?:\n|$)")
_NUMBERED_LINE = lazy_pattern(rf"[:=|\s]{_BLANK}*\D{{0,3}}\d[\d.,]{{0,8}}[^\w\n]{{0,3}}(?:\n|$)")
_WHOLE_NOTES = tuple(
    (lazy_pattern(rf"{_START}{any_of(things)}{_END}{rest}"), other_lines)
    for things, rest, other_lines in (
        ("noted_safes", rf"{_PLACE}{_LINK}{_LONG_CODE}", None),
        ("hotel_safes", rf"{_LINK}{_CODE}", None),
        ("noted_dials", rf"{_PLACE}{_LINK}{_code('3,4', _NO_SMALL_PRICE)}", _PRICED_LINE),
        ("noted_dials", rf"{_PLACE}{_BLANK}+{_code('4', _NO_PRICE)}", _NUMBERED_LINE),
        ("noted_safes", rf"{_PLACE}{_OR_BLANK}{_code('4,5', _NO_PRICE)}", _NUMBERED_LINE),
        ("noted_gates", rf"{_PLACE}{_OR_BLANK}{_code('4,5', _NO_GATE_PRICE)}", _NUMBERED_LINE),
    )
)
_NETWORK = lazy_pattern(rf"{_START}{any_of('noted_networks')}{_END}{_PLACE}{_LINK}(?=[^\s])")
# Names of networks and devices look like passwords.
_NETWORK_NAME = lazy_pattern(
    r"fritz|tp-?link|netgear|linksys|d-?link|vodafone|telekom|speedport|livebox|freebox|bbox|movistar|orange|fastweb"
    r"|asus|huawei|xiaomi|samsung|unifi|ubiquiti|eero|guest|gast|invit|ospit|ssid|hotspot|wi-?fi|wlan|router|repeater"
    r"|mesh|2[.,]4|5g|ghz|mbit|mbps|gbit|802"
)
_NOTE_END = lazy_pattern(values.NOTE_END)
_MIN_NETWORK_PASSWORD = 8

_DIGITS = lazy_pattern(r"\d[- .]?\d[- .]?\d")


def noted_secret(passage: Passage) -> FoundSecret | None:
    """Return the first code that a note gives for a lock or a device, or None."""
    if password := _network_password(passage):
        return password
    if not _DIGITS.search(passage.folded):
        return None
    for pattern in _NOTES:
        for found in pattern.finditer(passage.folded):
            if not passage.has("public", *passage.sentence(*found.span())):
                return FoundSecret(Kind.LOCK_CODE, *found.span("code"))
    return _code_of_thing(passage)


def _code_of_thing(passage: Passage) -> FoundSecret | None:
    """Return the code of a safe, a gate or a lock with few dials in a note of its own, or None."""
    for pattern, other_lines in _WHOLE_NOTES:
        found = pattern.search(passage.folded)
        if found is None or passage.has("public", *passage.sentence(*found.span())):
            continue
        lines = islice(other_lines.finditer(passage.folded), 2) if other_lines else ()
        if sum(1 for _ in lines) < 2:
            return FoundSecret(Kind.LOCK_CODE, *found.span("code"))
    return None


def _network_password(passage: Passage) -> FoundSecret | None:
    """Return the password of a note that names only the network, as in "wifi at the cabin: sunflower-77", or None."""
    for found in _NETWORK.finditer(passage.folded):
        token = values.token_at(passage.text, found.end())
        if token is None or len(token) < _MIN_NETWORK_PASSWORD or not values.is_strong_password(token):
            continue
        end = values.end_of(token, passage.text, found.end())
        is_named = _NETWORK_NAME.search(passage.folded, found.end(), end)
        if not is_named and _NOTE_END.match(passage.folded, end) and not passage.has("public", found.start(), end):
            return FoundSecret(Kind.PASSWORD, end - len(token), end)
    return None
