"""Ranges of dates in numbers without a name of a month: "27.12. bis 3.1.", "27.–30.12.", "du 27/12 au 3/1".

They get the form that the patterns of time phrases read. So does a single such day in notes about something that
happens once: "Zahnarzt 10.12. um 8:30".
"""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern
from memories.times.occasions import is_of_occasion
from memories.times.patterns import DATE_RANGE, LANGUAGES

MAX_RANGES = 8
"""Number of ranges and days of a text that are read: a bound on the cost."""

_NEAR_CHARS = 20
"""Number of characters before a range that decide about it."""

_MONTHS = 12
_CENTURY = 2000

_DOTTED = re.compile(r"\d ?[./-]")
_WEEKDAYS = "|".join(
    {name for words in LANGUAGES for name in words.weekdays} | {"mo", "di", "mi", "do", "fr", "sa", "so"}
)
_ON = rf"(?:(?:{_WEEKDAYS})\.?,? |den |dem |the |zum |el |il |le )*"
_TO = r"(?: ?[-–—] ?| (?:bis|to|till|until|through|au|jusqu['’]au|al|hasta) )"
_AND = r"(?: ?[-–—] ?| (?:bis|to|till|until|through|au|jusqu['’]au|al|hasta|und|and|et|y|e) )"
_DAY, _MONTH = r"[0-3]?\d", r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:(?:19|20)?\d\d(?![\d:]|\.\d| ?uhr))"
_FROM = r"(?:from|vom|von|du|del|dal|between|zwischen|entre|tra|fra)"


def _days(number: int, to: str, sign: str, end: str) -> str:
    """Return a pattern of two days in numbers, with `sign` between a day and its month and `end` after the month."""
    first = rf"(?P<day{number}>{_DAY}){sign} ?(?P<month{number}>{_MONTH}){end}"
    last = rf"(?P<last{number}>{_DAY}){sign} ?(?P<last_month{number}>{_MONTH}){end}"
    year, last_year = (rf"(?:\s?(?P<{name}{number}>{_YEAR}))?" for name in ("year", "last_year"))
    return rf"{first}{year}{to}{_ON}{last}{last_year}"


_DOTTED_RANGE = _days(1, _TO, r"\.", r"\.")
_LED_RANGE = _days(3, _AND, "[./]", r"\.?")
_RANGE = lazy_pattern(
    rf"(?<![\w.,/-])(?:{_DOTTED_RANGE}"
    rf"|(?P<day2>{_DAY})(?:\.? ?[-–—] ?|\./|\.? (?:bis|to|au|al) ){_ON}"
    rf"(?P<last2>{_DAY})\.(?P<last_month2>{_MONTH})\.(?:\s?(?P<last_year2>{_YEAR}))?"
    rf"|(?P<lead3>{_FROM} {_ON}){_LED_RANGE}(?![/\d]|\.\d))(?!\w)",
    re.IGNORECASE,
)
# Numbers of sections, versions and rooms have dots, too.
_NUMBERED = lazy_pattern(
    r"(?:abschnitte?n?|kapiteln?|punkte?|ziffern?|versione?n?|releases?|seiten?|pos(?:ition)?|absatz|abs|artikel|art"
    r"|raum|saal|zimmer|rooms?|aula|sala|salle|top|updates?|aufgaben?|übung(?:en)?|sections?|chapters?|clauses?|items?|pages?|steps?|chapitres?|capítulos?|capitol[oi]|§+"
    r"|v)[.:]? $",
    re.IGNORECASE,
)
_SINGLE = lazy_pattern(
    rf"(?<![\w.,/-])(?<!\b(?:am|ab|im) )(?<!\b(?:den|dem|vom|zum|bis) ){_DAY}\.{_MONTH}\.(?=[,:]? \w)"
)


def with_numeric_ranges(text: str) -> str:
    """Return the text with ranges of dates in numbers in the form that the patterns read."""
    return _RANGE.sub(_range, text, MAX_RANGES) if _DOTTED.search(text) else text


def with_numeric_days(text: str) -> str:
    """Return the text with ranges and single days of what happens once in the form that the patterns read."""
    if not _DOTTED.search(text):
        return text
    return _SINGLE.sub(_single, _RANGE.sub(_range, text, MAX_RANGES), MAX_RANGES)


def _range(found: re.Match[str]) -> str:
    parts = found.groupdict()
    number = next(each for each in "123" if parts[f"last{each}"])
    if _is_numbered(found):
        return found[0]
    day, month, year, last, last_month, last_year = (
        int(parts.get(f"{name}{number}") or 0) for name in ("day", "month", "year", "last", "last_month", "last_year")
    )
    month = month or last_month
    lead = parts["lead3"] or ""
    if lead.lower().startswith(("from", "between")) and "/" in found[0] and max(day, last) <= _MONTHS:
        return found[0]  # "From 5/7 to 6/7" may begin with the month.
    if year and not last_year:
        last_year = year + (last_month < month)
    ending = f".{last_year if last_year > _CENTURY // 2 else last_year + _CENTURY}" if last_year else ""
    return f"{lead}{DATE_RANGE} {day}.{month}-{last}.{last_month}{ending}"


def _single(found: re.Match[str]) -> str:
    is_day = is_of_occasion(found.string, *found.span()) and not _is_numbered(found)
    return f"am {found[0]}" if is_day else found[0]


def _is_numbered(found: re.Match[str]) -> bool:
    return _NUMBERED.search(found.string[max(0, found.start() - _NEAR_CHARS) : found.start()]) is not None
