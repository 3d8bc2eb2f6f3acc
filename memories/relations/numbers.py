"""One spelling for numbers, amounts, times of day and dates: "7:45 pm" as "19:45", "14. Februar" as "14 february".

The texts are in lower case. The result is only compared, and not shown.
"""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern
from memories.relations import amounts, spoken_times
from memories.relations.amounts import with_plain_amounts
from memories.relations.spoken_times import with_clock_times
from memories.relations.vocabulary import MONTH_TOKENS, MONTHS, NUMBER_WORDS

_DIGIT = lazy_pattern(r"\d")
_HUNDRED = lazy_pattern(r"\b([a-z]+) hundred\b")
_TENS = lazy_pattern(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-(first|second|third|fourth|fifth|sixth|seventh|eighth"
    r"|ninth|one|two|three|four|five|six|seven|eight|nine)\b"
)
_ONES = {"one": 1, "first": 1, "second": 2}

_HOUR = r"(?<![\d.,:/-])(\d{1,2})"
_MINUTES = r"(?:[:.]([0-5]\d))?"
_HALF = r" ?([ap])\.?m(?![\w])\.?(?!\w)"
_TO_HALF = r"(?: ?[-–] ?| (?:to|and|until|till) )"
# "From 6 to 7:30 pm": both are in the evening.
_HALF_DAY_RANGE = lazy_pattern(rf"{_HOUR}{_MINUTES}({_TO_HALF})(\d{{1,2}}){_MINUTES}{_HALF}")
_HALF_SIGN = lazy_pattern(r"\d ?[ap]\.?m")
_HALF_DAY = lazy_pattern(rf"{_HOUR}{_MINUTES}{_HALF}")

_AT = r"(?:at|by|from|until|till|um|gegen|ab|bis|à|vers|dès|jusqu'à|a las|las|alle(?: ore)?|ore|dalle) "
_LATE = (
    r"(?:(?:in the|this|every) (?:evening|afternoon)|at night|abends|nachmittags|am (?:abend|nachmittag)|du soir"
    r"|de l'après-midi|de la (?:tarde|noche)|di sera|della sera|del pomeriggio)"
)
_LATE_WORDS = (
    "evening",
    "afternoon",
    "night",
    "abend",
    "nachmittag",
    "soir",
    "midi",
    "tarde",
    "noche",
    "sera",
    "pomer",
)
_CLOCK_SIGN = lazy_pattern(r"\d(?:[.:]\d\d| ?(?:h|heures|uhr)\b| ?h ?\d)")
_EVENING = lazy_pattern(rf"(\b{_AT})?{_HOUR}{_MINUTES}(?: ?(uhr|h|heures|o'clock)(?: ?([0-5]\d))?)? {_LATE}\b")
_CLOCK = lazy_pattern(
    rf"{_HOUR}(?:[.:]([0-5]\d) ?(?:uhr|heures|h|hrs?)\b|(?: ?h ?| heures | uhr )([0-5]\d)(?![\w%]))"
    rf"|(?:(?<=\bum )|(?<=alle )|(?<=\bore )|(?<=\blas )){_HOUR}\.([0-5]\d)(?![\d%]| ?(?:%|€|\$|euro|prozent))"
)
_LEADING_ZERO = lazy_pattern(r"(?<![\d.,:/-])0(\d:[0-5]\d)(?!\d)")

_DAY = r"(0?[1-9]|[12]\d|3[01])"
_MONTH = r"(0?[1-9]|1[0-2])"
_YEAR = r"((?:19|20)\d\d)"
_DATE_SIGN = lazy_pattern(r"\d(?:[/-]|\. ?)\d")
_ISO = lazy_pattern(rf"(?<![\w.-]){_YEAR}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])")
_NUMERIC = lazy_pattern(rf"(?<![\w.,:/-]){_DAY}\. ?{_MONTH}\. ?{_YEAR}(?!\w)")
# "Version 14.2." ends with a number. A date is the first of its line, or follows a sign, a preposition or another date.
_SHORT_NUMERIC = lazy_pattern(
    r"(?:(?:^|\n|[:,;(–/-])\s?|\b(?:am|bis|ab|vom|zum|den|dem|der|seit|und|auf|oder|nach|vor|mo|di|mi|do|fr|sa|so"
    rf"|\w{{3,6}}tag|mittwoch|sonnabend)[.,]? |\d\. ?[-–] ?){_DAY}\. ?{_MONTH}\.(?: ?(\d\d)(?![\w.,:]))?(?!\d)"
)
# "24.12.-6.1." and "27.12. bis 3.1." are certainly dates.
_RANGE_START = lazy_pattern(rf"(?<![\w.,:/-]){_DAY}\. ?{_MONTH}\.(?= ?(?:[-–]|bis) ?\d{{1,2}}\. ?\d{{1,2}}\.)")
_SLASHED = lazy_pattern(rf"(?<![\w./-])(\d{{1,2}})/(\d{{1,2}})/{_YEAR}(?![\w/])")
_DAY_FIRST = lazy_pattern(rf"\b(le|du|au|el|il|al|del|dal|den|am) {_DAY}[/.]{_MONTH}(?:[/.]{_YEAR})?(?![\w/]|[.,]\d)")
_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY_AND_NAME = lazy_pattern(rf"(?<![\d.,:/])({_DAY})(?:st|nd|rd|th|er|\.|º|°)? ?(?:(?:of|de|di|d')? ?)({_NAMES})\b\.?")
_NAME_AND_DAY = lazy_pattern(rf"\b({_NAMES})\.? ({_DAY})(?:st|nd|rd|th)?(?![\w:%]|[.,/]\d)")

_HOURS = 12


def with_digits(lowered: str) -> str:
    """Return the text with digits for numbers of several words, and with one spelling for times of day and dates."""
    if " hundred" in lowered:
        lowered = _HUNDRED.sub(
            lambda found: f"{NUMBER_WORDS[found[1]]}00" if found[1] in NUMBER_WORDS else found[0], lowered
        )
    lowered = with_clock_times(lowered)
    if "half an hour" in lowered:
        lowered = lowered.replace("half an hour", "30 minutes")
    if "ty-" in lowered:
        lowered = _TENS.sub(_tens, lowered)
    return _with_dates(_with_times(with_plain_amounts(lowered))) if _DIGIT.search(lowered) else lowered


def _tens(found: re.Match[str]) -> str:
    return str(int(NUMBER_WORDS[found[1]]) + int(_ONES.get(found[2]) or NUMBER_WORDS[found[2]]))


def _with_times(lowered: str) -> str:
    if _HALF_SIGN.search(lowered):
        lowered = _HALF_DAY_RANGE.sub(_half_day_range, lowered)
        lowered = _HALF_DAY.sub(lambda found: _time_of(found[1], found[2], found[3], found[0]), lowered)
    if any(word in lowered for word in _LATE_WORDS):
        lowered = _EVENING.sub(_evening, lowered)
    if _CLOCK_SIGN.search(lowered):
        lowered = _CLOCK.sub(lambda found: _clock(found[1] or found[4], found[2] or found[3] or found[5]), lowered)
        lowered = _LEADING_ZERO.sub(r"\1", lowered)
    return lowered


def _half_day_range(found: re.Match[str]) -> str:
    start, end = int(found[1]) % 12, int(found[4]) % 12
    if max(int(found[1]), int(found[4])) > _HOURS:
        return found[0]
    half = found[6] if start <= end else {"a": "p", "p": "a"}[found[6]]
    return _time_of(found[1], found[2], half, "") + found[3] + _time_of(found[4], found[5], found[6], "")


def _time_of(hour: str, minutes: str | None, half: str, unchanged: str) -> str:
    """Return a time of a clock with twelve hours, or `unchanged` if there is no such hour."""
    if not 1 <= int(hour) <= _HOURS:
        return unchanged
    return _clock(str(int(hour) % 12 + (12 if half == "p" else 0)), minutes)


def _clock(hour: str, minutes: str | None) -> str:
    return f"{int(hour)}:{minutes or '00'}"


def _evening(found: re.Match[str]) -> str:
    """Return a time in the afternoon or evening. A number alone may count something: "2 in the evening"."""
    lead, hour, minutes = found[1] or "", int(found[2]), found[3] or found[5]
    if not (lead or minutes or found[4]) or not 1 <= hour < _HOURS:
        return found[0]
    if hour < 6 and "night" in found[0]:
        return found[0]
    return f"{lead}{hour + 12}:{minutes or '00'}"


def _with_dates(lowered: str) -> str:
    if _DATE_SIGN.search(lowered):
        lowered = _ISO.sub(lambda found: _date(found[3], int(found[2]), found[1]), lowered)
        lowered = _NUMERIC.sub(lambda found: _date(found[1], int(found[2]), found[3]), lowered)
        lowered = _RANGE_START.sub(lambda found: _date(found[1], int(found[2]), None), lowered)
        lowered = _SHORT_NUMERIC.sub(_short_numeric, lowered)
        lowered = _SLASHED.sub(_slashed, lowered)
        lowered = _DAY_FIRST.sub(lambda found: f"{found[1]} {_date(found[2], int(found[3]), found[4])}", lowered)
    if any(name in lowered for name in MONTHS):
        lowered = _DAY_AND_NAME.sub(lambda found: _date(found[1], MONTHS[found[3]], None), lowered)
        lowered = _NAME_AND_DAY.sub(lambda found: _date(found[2], MONTHS[found[1]], None), lowered)
    return lowered


def _date(day: str, month: int, year: str | None) -> str:
    return f"{int(day)} {MONTH_TOKENS[month - 1]}" + (f" {year}" if year else "")


def _short_numeric(found: re.Match[str]) -> str:
    lead = found[0][: found.start(1) - found.start()]
    return f"{lead}{_date(found[1], int(found[2]), f'20{found[3]}' if found[3] else None)}"


def _slashed(found: re.Match[str]) -> str:
    """Return a date whose order is certain, because one of its numbers is not a month."""
    first, second = int(found[1]), int(found[2])
    if 12 < first <= 31 and 1 <= second <= 12:
        return _date(found[1], second, found[3])
    if 12 < second <= 31 and 1 <= first <= 12:
        return _date(found[2], first, found[3])
    return found[0]


PATTERNS = (
    *(
        *spoken_times.PATTERNS,
        *amounts.PATTERNS,
        _HUNDRED,
        _TENS,
        _HALF_DAY_RANGE,
        _HALF_DAY,
        _EVENING,
        _CLOCK,
        _LEADING_ZERO,
    ),
    *(_ISO, _NUMERIC, _RANGE_START, _SHORT_NUMERIC, _SLASHED, _DAY_FIRST, _DAY_AND_NAME, _NAME_AND_DAY),
)
"""All of them, on which the keys of stored memories depend."""
