"""Time phrases in questions in five languages: "in May 2023", "letzte Woche", "il y a trois jours". Pure functions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from memories.recall.time_words import LANGUAGES, UP_TO, Unit, Vocabulary

UNIT_DAYS: dict[Unit, int] = {"day": 1, "week": 7, "month": 30, "year": 365}

# "Option 2 may be better", "we march 3 miles": without a capital these are months only in an unambiguous date.
_VERB_OR_MONTH = re.compile(
    r"(?P<date>\b(?i:in|on|of|by|since|until|during) (?:the )?(?:\d?\d )?|\d(?:st|nd|rd|th) )?\b(?:may|march|mar)\b"
    r"(?!(?: \d?\d)?,?(?: of)? (?:19|20)\d\d\b| \d?\d(?:st|nd|rd|th)\b)"
)


@dataclass(frozen=True, slots=True)
class Period:
    """A span of time from `start` up to, not including, `end`; both are aware."""

    start: datetime
    end: datetime


Reading = Callable[[Vocabulary, re.Match[str], datetime], Period | None]
"""Function from a vocabulary, a matched phrase and the current time to the period that is meant; None if it is none."""


def period_in(text: str, now: datetime) -> Period | None:
    """Return the period that a known phrase in `text` means at the time `now`; None without such a phrase.

    Days begin at midnight in the time zone of `now`. Of several phrases the most certain counts, in the order of
    `_patterns`: a date before "yesterday". "3 to 5 May" is the days from the first to the last. A date without a year
    is the latest one that has begun. After "since" the period lasts until `now`.
    """
    folded = _folded(_VERB_OR_MONTH.sub(lambda found: found[0] if found["date"] else "", text))
    for hint, phrases in _LANGUAGES:
        if not hint.search(folded):
            continue
        for phrase, reading in phrases:
            found = phrase.search(folded)
            period = reading(found, now) if found else None
            if found and period is not None:
                return Period(period.start, max(period.end, now)) if found["since"] else period
    return None


def _folded(text: str) -> str:
    """Return `text` in lower case and without accents."""
    return "".join(
        letter for letter in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(letter)
    )


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _date(words: Vocabulary, found: re.Match[str], now: datetime) -> Period | None:
    """Return the day, range of days in a month, month or year that the phrase specifies."""
    parts = found.groupdict()
    month = _month(words, parts["month"]) if parts.get("month") else None
    last = int(parts.get("day") or 1)
    first = int(parts.get("first") or last)
    if not 0 < first <= last:
        first = last
    written = parts.get("year")
    # The latest 29 February may be eight years ago.
    for year in [int(written)] if written else range(now.year, now.year - 9, -1):
        try:
            end = _midnight(now).replace(year=year, month=month or 1, day=last)
        except ValueError:  # The 31st of June.
            continue
        start = end.replace(day=first)
        if written or start <= now:
            break
    else:
        return None
    if parts.get("day"):
        return Period(start, end + timedelta(days=1))
    if month is None:
        return Period(start, start.replace(year=start.year + 1))
    following = start.replace(day=28) + timedelta(days=4)
    return Period(start, following.replace(day=1))


def _month(words: Vocabulary, written: str) -> int:
    return int(written) if written.isdigit() else words.months[written]


def _recent_day(words: Vocabulary, found: re.Match[str], now: datetime) -> Period:
    start = _midnight(now) - timedelta(days=words.days[found["day"]])
    return Period(start, start + timedelta(days=1))


def _calendar_unit(words: Vocabulary, found: re.Match[str], now: datetime) -> Period:
    """Return this or the last week (from Monday), weekend, month or year."""
    today = _midnight(now)
    unit = words.units[found["unit"]]
    monday = today - timedelta(days=today.weekday())
    if unit == "weekend":
        end = monday + timedelta(days=7 * (words.which[found["which"]] == "this"))
        return Period(end - timedelta(days=2), end)
    starts: dict[Unit, Callable[[datetime], datetime]] = {
        "week": lambda day: day - timedelta(days=day.weekday()),
        "month": lambda day: day.replace(day=1),
        "year": lambda day: day.replace(month=1, day=1),
    }
    start = starts[unit](today)
    if words.which[found["which"]] == "this":
        return Period(start, today + timedelta(days=1))
    return Period(starts[unit](start - timedelta(days=1)), start)


def _last_weekday(words: Vocabulary, found: re.Match[str], now: datetime) -> Period:
    """Return the latest day before today with that weekday."""
    today = _midnight(now)
    start = today - timedelta(days=(today.weekday() - words.weekdays[found["weekday"]] - 1) % 7 + 1)
    return Period(start, start + timedelta(days=1))


def _ago(words: Vocabulary, found: re.Match[str], now: datetime) -> Period:
    """Return a period of about one unit around the moment that long ago; at least a day."""
    count = words.numbers.get(found["count"]) or int(found["count"])
    today = _midnight(now)
    if count == 0:
        return Period(today, today + timedelta(days=1))
    unit = timedelta(days=UNIT_DAYS[words.units[found["unit"]]])
    middle = today - count * unit
    return Period(middle - unit // 2, middle + max(unit // 2, timedelta(days=1)))


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def _patterns(words: Vocabulary) -> Iterator[tuple[str, Reading]]:
    """Yield the patterns of a language, the most certain first, with their readings; all have a group "since"."""
    month = rf"(?P<month>{_any_of(words.months)})\b(?!\.? (?:{words.to_come}))\.?"
    day = r"(?P<day>[0-3]?\d)"
    year = r"(?P<year>(?:19|20)\d\d)\b"
    of = rf"(?: (?:{words.of}))?"
    ordinal = rf"(?:{words.ordinal})?"
    first = rf"(?:(?P<first>[0-3]?\d){ordinal}(?: ?[-–] ?| (?:{UP_TO}) ))?"
    last = _any_of(word for word, which in words.which.items() if which == "last")
    spans = _any_of(word for word, unit in words.units.items() if unit != "day")
    lengths = _any_of(word for word, unit in words.units.items() if unit in UNIT_DAYS)
    length = rf"(?P<count>\d{{1,3}}|{_any_of(words.numbers)}) (?P<unit>{lengths})"
    since = rf"\b(?:(?P<since>{words.since})\s*)?"
    yield rf"{since}\b(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-3]\d)\b", _date
    yield rf"{since}\b{day}\.\s?(?P<month>0?[1-9]|1[0-2])\.\s?{year}", _date
    yield rf"{since}\b{first}{day}{ordinal}{of} {month},?(?:{of} {year})?", _date
    if words.month_first:
        yield rf"{since}{month} {first}{day}{ordinal}\b,?(?: {year})?", _date
    yield rf"{since}{month},?{of} {year}", _date
    yield rf"{since}(?P<day>{_any_of(words.days)})\b", _recent_day
    yield rf"{since}(?P<which>{_any_of(words.which)})(?: |(?<=['’]))(?P<unit>{spans})\b", _calendar_unit
    yield rf"{since}(?:{last}) (?P<weekday>{_any_of(words.weekdays)})\b", _last_weekday
    yield rf"\b(?P<since>{words.since}) (?P<weekday>{_any_of(words.weekdays)})\b", _last_weekday
    if words.last_follows:
        yield rf"{since}(?P<unit>{spans}) (?P<which>{last})\b", _calendar_unit
        yield rf"{since}(?P<weekday>{_any_of(words.weekdays)}) (?:{last})\b", _last_weekday
    yield (rf"{since}{words.ago} {length}\b" if words.ago_first else rf"{since}{length} {words.ago}\b"), _ago
    yield rf"\b(?:(?P<since>{words.since})|{words.in_month}) {month}", _date
    yield rf"\b(?:(?P<since>{words.since})|{words.in_year}) {year}", _date


def _hint(words: Vocabulary) -> re.Pattern[str]:
    """Return a pattern that matches in every text with a time phrase of that language."""
    known = [*words.months, *words.weekdays, *words.days, *words.units]
    return re.compile(rf"\b(?:{_any_of(known)}|(?:19|20)\d\d)\b")


_LANGUAGES = tuple(
    (_hint(words), [(re.compile(pattern), partial(reading, words)) for pattern, reading in _patterns(words)])
    for words in LANGUAGES
)
