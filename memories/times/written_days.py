"""The days of a text that only names them relative to when it was said: "the day after tomorrow" is no day later."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from memories.times.statements import has_only_relative_dates, stated_period

MAX_SPANS = 3
"""Number of days or spans of days that are written. A text with more is a list, not an event."""

_DAY = timedelta(days=1)


def relative_days(text: str, said_at: datetime) -> str:
    """Return the days that a text names; empty if it names none, or says them itself.

    `said_at` is in the time zone in which days begin.
    """
    stated = stated_period(text, said_at) if has_only_relative_dates(text) else None
    if stated is None:
        return ""
    spans = list(stated.days)
    # The limits of a period are also in it.
    whole = [span for span in spans if not any(span != other and _is_in(span, other) for other in spans)]
    return ", ".join(_written(first, after - _DAY) for first, after in whole) if len(whole) <= MAX_SPANS else ""


def written_day(day: date) -> str:
    """Return a day as in "3 June 2026"."""
    return f"{day.day} {day:%B %Y}"


def _written(first: date, last: date) -> str:
    return written_day(last) if first == last else f"{written_day(first)} to {written_day(last)}"


def _is_in(span: tuple[date, date], other: tuple[date, date]) -> bool:
    return other[0] <= span[0] and span[1] <= other[1]
