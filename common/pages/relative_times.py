"""Times in the words of the pages: "3 days ago", "in 2 weeks"."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext, ngettext

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
STEPS = ((HOUR, MINUTE, "minute"), (DAY, HOUR, "hour"), (14 * DAY, DAY, "day"), (60 * DAY, 7 * DAY, "week"))
"""Up to how many seconds a unit is used, its seconds and its name. Months and years follow."""

SOON_HOURS = 3
"""The number of hours up to which a time to come has minutes, too."""

_ENDS_OF_DAY = frozenset({(0, 0, 0), (23, 59, 59)})


def exact_time(moment: datetime) -> str:
    """Return the date and the time in the owner's time zone."""
    return date_format(timezone.localtime(moment), "DATETIME_FORMAT")


def day_or_time(moment: datetime) -> str:
    """Return the date in the owner's time zone, with the time unless `moment` is the beginning or the end of a day.

    Apps also give whole days in UTC.
    """
    local = timezone.localtime(moment)
    if any((each.hour, each.minute, each.second) in _ENDS_OF_DAY for each in (local, moment.astimezone(UTC))):
        return date_format(local)
    return exact_time(moment)


def relative_time(moment: datetime, now: datetime | None = None) -> str:
    """Return `moment` relative to `now`, such as "12 minutes ago", "yesterday", "a year ago" or "in 11 days".

    It is rounded to the nearest unit. Days are calendar days in the current time zone: the day before yesterday is
    "2 days ago", whatever the hour. Hours that are about to pass have minutes: they are often those of a deadline.
    """
    now = now or timezone.now()
    seconds = (moment - now).total_seconds()
    if abs(seconds) < MINUTE:
        return gettext("just now") if seconds <= 0 else gettext("in a moment")
    days = (timezone.localtime(moment).date() - timezone.localtime(now).date()).days
    if abs(seconds) >= 6 * HOUR and abs(days) == 1:
        return gettext("tomorrow") if days > 0 else gettext("yesterday")
    hours, minutes = divmod(round(seconds / MINUTE), 60)
    if 1 <= hours < SOON_HOURS and minutes:
        return gettext("in %(hours)s h %(minutes)s min") % {"hours": hours, "minutes": minutes}
    unit, count = _largest_unit(abs(seconds))
    if unit == "day":
        unit, count = ("day", abs(days)) if days else ("hour", 24)
    return (_ago if seconds < 0 else _ahead)(unit, count) % {"number": number(count)}


def number(count: int) -> str:
    """Return a number with the thousands separators of the language: "1,482"."""
    return number_format(count, force_grouping=True)


def plural(count: int, singular: str, several: str = "") -> str:
    """Return `count` with its noun: "1 memory", "1,482 memories". Without `several`, an s is added.

    Catalogues translate it as "%(number)s memory" and "%(number)s memories". Give the nouns as literals.
    """
    return ngettext(*plural_message(singular, several), count) % {"number": number(count)}


def plural_message(singular: str, several: str = "") -> tuple[str, str]:
    """Return the two texts of catalogues for a number with this noun."""
    return f"%(number)s {singular}", f"%(number)s {several or singular + 's'}"


def _largest_unit(seconds: float) -> tuple[str, int]:
    for limit, size, name in STEPS:
        count = max(1, round(seconds / size))
        if count * size < limit:
            return name, count
    months = max(2, round(seconds / DAY / 30.44))
    return ("month", months) if months < 12 else ("year", max(1, round(seconds / DAY / 365.25)))


# Three whole sentences for each unit, because languages decline the nouns: "3 days" is "3 Tage", and "3 days ago"
# "vor 3 Tagen".
def _ago(unit: str, count: int) -> str:
    match unit:
        case "minute":
            return ngettext("%(number)s minute ago", "%(number)s minutes ago", count)
        case "hour":
            return ngettext("%(number)s hour ago", "%(number)s hours ago", count)
        case "day":
            return ngettext("%(number)s day ago", "%(number)s days ago", count)
        case "week":
            return ngettext("%(number)s week ago", "%(number)s weeks ago", count)
        case "month":
            return ngettext("%(number)s month ago", "%(number)s months ago", count)
    return ngettext("a year ago", "%(number)s years ago", count)


def _ahead(unit: str, count: int) -> str:
    match unit:
        case "minute":
            return ngettext("in %(number)s minute", "in %(number)s minutes", count)
        case "hour":
            return ngettext("in %(number)s hour", "in %(number)s hours", count)
        case "day":
            return ngettext("in %(number)s day", "in %(number)s days", count)
        case "week":
            return ngettext("in %(number)s week", "in %(number)s weeks", count)
        case "month":
            return ngettext("in %(number)s month", "in %(number)s months", count)
    return ngettext("in a year", "in %(number)s years", count)
