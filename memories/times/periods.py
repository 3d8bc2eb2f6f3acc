"""Periods of time: days, weeks, months and years."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum

from memories.times.vocabulary import Unit, Which

DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)

MAX_SPAN_DAYS = 62
"""Number of days of a period that a statement may name with each of its days. What it says of a longer one, such as a
year, is rarely asked by one of these."""


class Direction(Enum):
    """The side of now on which a date without a year, or a weekday, lies."""

    PAST = "past"
    COMING = "coming"
    NEAREST = "nearest"


@dataclass(frozen=True, slots=True)
class Period:
    """A span of time from `start` up to, not including, `end`; both are aware."""

    start: datetime
    end: datetime

    @property
    def days(self) -> tuple[date, date]:
        """Its first day, and the day after its last."""
        return self.start.date(), (self.end + DAY - MICROSECOND).date()


def midnight(moment: datetime) -> datetime:
    """Return the beginning of that day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def single_day(start: datetime) -> Period:
    """Return the day that begins at `start`."""
    return Period(start, start + DAY)


def unit_around(unit: Unit, day: datetime) -> Period:
    """Return the week (from Monday), its weekend, the month or the year that has the day."""
    monday = day - timedelta(days=day.weekday())
    if unit == "week":
        return Period(monday, monday + 7 * DAY)
    if unit == "weekend":
        return Period(monday + 5 * DAY, monday + 7 * DAY)
    if unit == "month":
        first = day.replace(day=1)
        return Period(first, (first + 31 * DAY).replace(day=1))
    if unit == "year":
        first = day.replace(month=1, day=1)
        return Period(first, first.replace(year=first.year + 1))
    return single_day(day)


def unit_period(unit: Unit, which: Which, now: datetime) -> Period:
    """Return the last, this or the next unit, or the one after that. The next is the first that begins after today."""
    today = midnight(now)
    this = unit_around(unit, today)
    if which == "this":
        return this
    if which == "last":
        container = unit_around("week", today) if unit == "weekend" else this
        return unit_around(unit, container.start - DAY)
    following = this if this.start > today else unit_around(unit, this.end)
    return following if which == "next" else unit_around(unit, following.end)
