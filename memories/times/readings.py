"""Readings: functions from a matched time phrase to the period that it means."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from memories.times.day_order import is_day_before_month
from memories.times.periods import DAY, Direction, Period, midnight, single_day, unit_around, unit_period
from memories.times.vocabulary import Unit, Vocabulary, Which

UNIT_DAYS: dict[Unit, int] = {"day": 1, "week": 7, "month": 30, "year": 365}
NEAR = timedelta(days=245)
"""Eight months: plans reach farther than reports. A date without a year that is farther ahead was in the last year."""

SEVERAL: dict[Unit, int] = {"day": 7, "week": 4, "month": 3}
"""Number of units in "the next days", which gives none."""

MOST_YEARS = 15
"""Number of years from now for which "from 2035" is a year. Later ones may be prices or times of day."""

VAGUE = ("a few", "a couple of")
"""Numbers that do not say when something will be."""


Reading = Callable[[Vocabulary, re.Match[str], datetime, Direction], Period | None]
"""Function from a vocabulary, a matched phrase, the current time and a direction to the period that is meant."""


def read_date(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the day, range of days in a month, month or year that the phrase specifies."""
    parts = found.groupdict()
    month = _month(words, parts["month"]) if parts.get("month") else None
    last = int(parts.get("day") or 1)
    first = int(parts.get("first") or last)
    if not 0 < first <= last:
        first = last
    length: Unit = "day" if parts.get("day") else "month" if month else "year"
    return _dated(now, direction, parts.get("year"), lambda year: _days(now, (year, month or 1), (first, last), length))


def read_beginning(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the month or the year to come that begins something, in the past the latest month.

    None for a year that has begun: "a saw from 2015" is as old as that.
    """
    year = found.groupdict().get("year")
    if year and not now.year < int(year) <= now.year + MOST_YEARS:
        return None
    return read_date(words, found, now, Direction.COMING if direction is Direction.NEAREST else direction)


def read_numeric_date(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the day of a date in numbers, such as 27/11/2026. None if it is not clear which number is the month."""
    first, second = int(found["number1"]), int(found["number2"])
    is_day_first = True if first == second else is_day_before_month(found.string, first, second, now)
    if is_day_first is None:
        return None
    day, month = (first, second) if is_day_first else (second, first)
    return _days(now, (int(found["year"]), month), (day, day), "day") if 0 < month <= 12 and day else None


def read_long_range(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the days from one in a month to one in another."""
    first, month = int(found["first"]), _month(words, found["first_month"])
    last, last_month = int(found["day"]), _month(words, found["month"])

    def days(year: int) -> Period | None:
        start = _days(now, (year - (last_month < month), month), (first, first), "day")
        end = _days(now, (year, last_month), (last, last), "day")
        return Period(start.start, end.end) if start and end and start.start < end.end else None

    return _dated(now, direction, found["year"], days)


def read_holiday(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the days of a holiday in the written year, or the last, the next or the nearest one."""
    holiday = words.holidays[found["holiday"]]

    def days(year: int) -> Period:
        first = holiday.first_in(year)
        start = midnight(now).replace(year=year, month=first.month, day=first.day)
        return Period(start, start + holiday.days * DAY)

    return _yearly(words, found, now, direction, days)


def read_season(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the months of a season, as `read_holiday` does."""
    month = words.seasons[found["season"]]

    def months(year: int) -> Period:
        start = midnight(now).replace(year=year, month=month, day=1)
        return Period(start, (start + 100 * DAY).replace(day=1))

    return _yearly(words, found, now, direction, months)


def _yearly(
    words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction, in_year: Callable[[int], Period]
) -> Period | None:
    which = _which(words, found) if found.groupdict().get("which") else None
    near = [in_year(year) for year in range(now.year - 2, now.year + 3)]
    if which == "last":
        return [period for period in near if period.end <= now][-1]
    if which == "next":
        return next(period for period in near if period.start > now)
    return _dated(now, direction, found.groupdict().get("year"), in_year)


def _month(words: Vocabulary, written: str) -> int:
    return int(written) if written.isdigit() else words.months[written]


def _days(now: datetime, month: tuple[int, int], days: tuple[int, int], unit: Unit) -> Period | None:
    """Return the first to the last of the days of a month of a year, or with another unit the month or the year.

    None if there is no such day.
    """
    first, last = days
    try:
        end = midnight(now).replace(year=month[0], month=month[1], day=last)
    except ValueError:  # The 31st of June.
        return None
    return unit_around(unit, end) if unit != "day" else Period(end.replace(day=first), end + DAY)


def _dated(
    now: datetime, direction: Direction, written: str | None, in_year: Callable[[int], Period | None]
) -> Period | None:
    """Return the period in the written year, or else the latest that has begun, the next that ends, or the likelier."""
    if written:
        return in_year(int(written))
    # The latest 29 February may be eight years ago.
    near = [period for year in range(now.year - 8, now.year + 9) if (period := in_year(year))]
    begun = [period for period in near if period.start <= now]
    coming = [period for period in near if period.end > now]
    past, following = begun[-1] if begun else None, coming[0] if coming else None
    if direction is Direction.PAST or following is None:
        return past
    is_near = following.start - now <= NEAR or past is None
    return following if direction is Direction.COMING or is_near else past


def read_day(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period:
    """Return today, or a day near it."""
    return single_day(midnight(now) - words.days[found["day"]] * DAY)


def read_day_of_month(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the next day with that number, in this month or a later one. In the past, the latest one."""
    today, number = midnight(now), int(found["day"])
    is_past = direction is Direction.PAST
    for distance in range(3):
        year, month = divmod(now.year * 12 + now.month - 1 + (-distance if is_past else distance), 12)
        period = _days(now, (year, month + 1), (number, number), "day") if number else None
        if period is not None and (period.start <= today if is_past else period.start >= today):
            return period
    return None


def read_days_of_month(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the days from one number to another in this month or the next. In the past, the latest ones."""
    first, last = int(found["first"]), int(found["day"])
    ends = read_day_of_month(words, found, now, direction) if first != last else None
    if ends is None or not first:
        return None
    month = ends.start if first < last else ends.start.replace(day=1) - DAY
    start = _days(now, (month.year, month.month), (first, first), "day")
    return Period(start.start, ends.end) if start else None


def read_unit(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period:
    """Return this, the last or a coming week, weekend, month or year. In the past, this one ends today."""
    unit, which = words.units[found["unit"]], _which(words, found)
    period = unit_period(unit, which, now)
    if which == "this" and unit != "weekend" and direction is Direction.PAST:
        return Period(period.start, midnight(now) + DAY)
    return period


def _which(words: Vocabulary, found: re.Match[str]) -> Which:
    written = found["which"]
    return words.which[written] if written in words.which else words.which_after[written]


def read_weekday(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the day with that weekday.

    "Last" is the latest before today, "next" the first after today, "this" may be today. A weekday alone is one to
    come, but after "since" and in the past the latest before today.
    """
    today, parts = midnight(now), found.groupdict()
    number = words.weekdays[parts["weekday"]]
    is_past = parts.get("since") or direction is Direction.PAST
    which = _which(words, found) if parts.get("which") else "last" if is_past else None
    if which == "last":
        return single_day(today - ((today.weekday() - number - 1) % 7 + 1) * DAY)
    if which == "this":
        return single_day(today + (number - today.weekday()) % 7 * DAY)
    later = 7 if which == "after next" else 0
    return single_day(today + ((number - today.weekday() - 1) % 7 + 1 + later) * DAY)


def read_weekend_of(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the weekend that is nearest to a day: "the weekend of 12 December"."""
    reading = read_date if found["month"] else read_day_of_month
    period = reading(words, found, now, direction)
    if period is None:
        return None
    weekday = period.start.weekday()
    saturday = period.start + (5 - weekday if weekday else -2) * DAY
    return Period(saturday, saturday + 2 * DAY)


def read_weekday_later(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the day a week after the next one with that weekday."""
    today = midnight(now)
    days = (words.weekdays[found["weekday"]] - today.weekday() - 1) % 7 + 1
    return single_day(today + (days + 7) * DAY)


def read_weekday_of_week(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the weekday of this, the last or a coming week."""
    if words.units[found["unit"]] != "week":
        return None
    monday = unit_period("week", _which(words, found), now).start
    return single_day(monday + words.weekdays[found["weekday"]] * DAY)


def read_month_of_year(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the month of this, the last or a coming year."""
    if words.units[found["unit"]] != "year":
        return None
    january = unit_period("year", _which(words, found), now).start
    return unit_around("month", january.replace(month=words.months[found["month"]]))


def read_several(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period:
    """Return the days from today up to that many days, weeks or months ahead, or from that long ago up to today."""
    unit = words.units[found["unit"]]
    written = found["count"] or found["count_before"]
    count = SEVERAL[unit] if not written else words.numbers.get(written) or int(written)
    today, length = midnight(now), count * UNIT_DAYS[unit] * DAY
    return Period(today - length, today + DAY) if found["gone"] else Period(today, today + length + DAY)


def read_ago(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period:
    """Return a period of about one unit around the moment that long ago; at least a day."""
    count = words.numbers.get(found["count"]) or int(found["count"])
    today = midnight(now)
    if count == 0:
        return single_day(today)
    unit = timedelta(days=UNIT_DAYS[words.units[found["unit"]]])
    middle = today - count * unit
    return Period(middle - unit // 2, middle + max(unit // 2, DAY))


def read_ahead(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the day that many days or weeks from today, or the calendar month or year. None if that is vague."""
    if found["count"] in VAGUE:
        return None
    count, unit = words.numbers.get(found["count"]) or int(found["count"]), words.units[found["unit"]]
    today = midnight(now)
    if unit in ("day", "week"):
        return single_day(today + count * UNIT_DAYS[unit] * DAY)
    period = unit_around(unit, today)
    for _ in range(min(count, 120)):
        period = unit_around(unit, period.end)
    return period


def read_end(words: Vocabulary, found: re.Match[str], now: datetime, direction: Direction) -> Period | None:
    """Return the last third of a month, or of this or a coming unit."""
    parts = found.groupdict()
    if parts.get("month"):
        whole = read_date(words, found, now, direction)
    else:
        whole = unit_period(words.units[parts["unit"]], _which(words, found) if parts.get("which") else "this", now)
    if whole is None:
        return None
    return Period(whole.end - max((whole.end - whole.start).days // 3, 1) * DAY, whole.end)


RELATIVE = (
    read_day,
    read_day_of_month,
    read_days_of_month,
    read_unit,
    read_weekday,
    read_weekday_later,
    read_weekday_of_week,
    read_weekend_of,
    read_several,
    read_ahead,
)
"""Readings of days that depend on when something was said by more than the year."""
