"""Times in the words of the pages: "3 days ago", "in 2 weeks"."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
STEPS = ((HOUR, MINUTE, "minute"), (DAY, HOUR, "hour"), (14 * DAY, DAY, "day"), (60 * DAY, 7 * DAY, "week"))
"""Up to how many seconds a unit is used, its seconds and its name. Months and years follow."""


def relative_time(moment: datetime, now: datetime | None = None) -> str:
    """Return `moment` relative to `now`, such as "12 minutes ago", "yesterday", "a year ago" or "in 11 days".

    Yesterday and tomorrow are calendar days in the current time zone.
    """
    now = now or timezone.now()
    seconds = (moment - now).total_seconds()
    if abs(seconds) < MINUTE:
        return "just now" if seconds <= 0 else "in a moment"
    if abs(seconds) >= 6 * HOUR and (day := _neighbouring_day(moment, now)):
        return day
    length = duration(abs(seconds))
    return f"{length} ago" if seconds < 0 else f"in {length}"


def duration(seconds: float) -> str:
    """Return a length of time in its largest unit, rounded down: "1 hour", "3 weeks", "a year"."""
    for limit, size, name in STEPS:
        if seconds < limit:
            return plural(max(1, int(seconds // size)), name)
    days = seconds / DAY
    if days < 365:
        return plural(max(2, int(days / 30.44)), "month")
    return "a year" if days < 730 else plural(int(days / 365.25), "year")


def plural(count: int, singular: str, several: str = "") -> str:
    """Return `count` with its noun: "1 memory", "1,482 memories". Without `several`, an s is added."""
    return f"{count:,} {singular if count == 1 else several or singular + 's'}"


def _neighbouring_day(moment: datetime, now: datetime) -> str:
    today = timezone.localtime(now).date()
    day = timezone.localtime(moment).date()
    if day == today - timedelta(days=1):
        return "yesterday"
    return "tomorrow" if day == today + timedelta(days=1) else ""
