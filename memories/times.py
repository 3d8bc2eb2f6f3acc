"""Times that a question speaks of, in English: "in May 2023", "on 7 May", "last week", "three days ago". Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}

_MONTH = rf"(?P<month>{'|'.join(MONTHS)}|{'|'.join(month[:3] for month in MONTHS)})\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_MAYBE_SINCE = r"\b(?:(?P<since>since) (?:the )?)?"

# "Option 2 may be better", "we march 3 miles": without a capital these are months only in a date that is plainly one.
_VERB_OR_MONTH = re.compile(
    r"(?P<date>\b(?i:in|on|of|by|since|until|during) (?:the )?(?:\d?\d )?|\d(?:st|nd|rd|th) )?\b(?:may|march|mar)\b"
    r"(?!(?: \d?\d)?,?(?: of)? (?:19|20)\d\d\b| \d?\d(?:st|nd|rd|th)\b)"
)


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` to before `end`, both aware."""

    start: datetime
    end: datetime


def period_in(text: str, now: datetime) -> Period | None:
    """The first of the known phrases in `text`, seen from `now`; days begin at midnight in the zone of `now`.

    A date without a year is the last such one that has begun. After "since" the period goes on until `now`.
    """
    lowered = _VERB_OR_MONTH.sub(lambda found: found[0] if found["date"] else "", text).lower()
    for phrase, reading in _PHRASES:
        found = phrase.search(lowered)
        period = reading(found, now) if found else None
        if found and period is not None:
            return Period(period.start, max(period.end, now)) if found["since"] else period
    return None


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _date(found: re.Match[str], now: datetime) -> Period | None:
    """A day, a month or a year, as far as the phrase says."""
    parts = found.groupdict()
    year = int(parts.get("year") or now.year)
    month = 1 + [name[:3] for name in MONTHS].index(parts["month"][:3]) if parts.get("month") else None
    try:
        start = _midnight(now).replace(year=year, month=month or 1, day=int(parts.get("day") or 1))
        if not parts.get("year") and start > now:
            start = start.replace(year=year - 1)
    except ValueError:  # The 31st of June.
        return None
    if parts.get("day"):
        return Period(start, start + timedelta(days=1))
    if month is None:
        return Period(start, start.replace(year=start.year + 1))
    following = start.replace(day=28) + timedelta(days=4)
    return Period(start, following.replace(day=1))


def _recent_day(found: re.Match[str], now: datetime) -> Period:
    end = _midnight(now) + timedelta(days=1) - timedelta(days=found["word"] == "yesterday")
    return Period(end - timedelta(days=1), end)


def _calendar_unit(found: re.Match[str], now: datetime) -> Period:
    """This or the last week (from Monday), month or year."""
    today = _midnight(now)
    starts: dict[str, Callable[[datetime], datetime]] = {
        "week": lambda day: day - timedelta(days=day.weekday()),
        "month": lambda day: day.replace(day=1),
        "year": lambda day: day.replace(month=1, day=1),
    }
    start_of = starts[found["unit"]]
    start = start_of(today)
    if found["which"] == "this":
        return Period(start, today + timedelta(days=1))
    return Period(start_of(start - timedelta(days=1)), start)


def _ago(found: re.Match[str], now: datetime) -> Period:
    """About so long ago: a unit's length around it, a day at least."""
    count = NUMBERS.get(found["count"]) or int(found["count"])
    unit = timedelta(days=UNIT_DAYS[found["unit"]])
    middle = _midnight(now) - count * unit
    return Period(middle - unit // 2, middle + max(unit // 2, timedelta(days=1)))


_PHRASES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Period | None]], ...] = (
    (re.compile(rf"{_MAYBE_SINCE}{_DAY}(?: of)? {_MONTH},?(?: {_YEAR})?"), _date),
    (re.compile(rf"{_MAYBE_SINCE}{_MONTH} {_DAY}\b,?(?: {_YEAR})?"), _date),
    (re.compile(rf"{_MAYBE_SINCE}{_MONTH},?(?: of)? {_YEAR}"), _date),
    (re.compile(rf"{_MAYBE_SINCE}(?P<word>today|yesterday)\b"), _recent_day),
    (re.compile(rf"{_MAYBE_SINCE}(?P<which>this|last) (?P<unit>week|month|year)\b"), _calendar_unit),
    (
        re.compile(rf"{_MAYBE_SINCE}(?P<count>\d{{1,3}}|{'|'.join(NUMBERS)}) (?P<unit>day|week|month|year)s? ago\b"),
        _ago,
    ),
    (re.compile(rf"\b(?:(?P<since>since)|in|during|of) {_MONTH}"), _date),
    (re.compile(rf"\b(?:(?P<since>since)|in|during|of) {_YEAR}"), _date),
)
