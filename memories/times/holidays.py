"""Holidays: their days in a year."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class Holiday:
    """One or more days of each year that begin on a day of a month, or if `month` is 0 so many days after Easter."""

    month: int
    day: int
    days: int = 1

    def first_in(self, year: int) -> date:
        """Return its first day in a year."""
        return date(year, self.month, self.day) if self.month else easter_sunday(year) + timedelta(days=self.day)


CHRISTMAS_EVE, CHRISTMAS_DAY, BOXING_DAY = Holiday(12, 24), Holiday(12, 25), Holiday(12, 26)
CHRISTMAS, AFTER_CHRISTMAS = Holiday(12, 24, 3), Holiday(12, 27, 5)
NEW_YEARS_EVE, NEW_YEARS_DAY, EPIPHANY = Holiday(12, 31), Holiday(1, 1), Holiday(1, 6)
ASSUMPTION, ALL_SAINTS = Holiday(8, 15), Holiday(11, 1)
HOLY_WEEK, MAUNDY_THURSDAY, GOOD_FRIDAY = Holiday(0, -7, 8), Holiday(0, -3), Holiday(0, -2)
EASTER, EASTER_SUNDAY, EASTER_MONDAY = Holiday(0, -2, 4), Holiday(0, 0), Holiday(0, 1)
ASCENSION, PENTECOST, WHIT_MONDAY, CORPUS_CHRISTI = Holiday(0, 39), Holiday(0, 49, 2), Holiday(0, 50), Holiday(0, 60)


def easter_sunday(year: int) -> date:
    """Return the first Sunday after the full moon of spring, by the Gregorian rule."""
    golden, century = year % 19, year // 100
    moon = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    full = moon - (moon // 28) * (1 - (29 // (moon + 1)) * ((21 - golden) // 11))
    weekday = (year + year // 4 + full + 2 - century + century // 4) % 7
    offset = full - weekday
    month = 3 + (offset + 40) // 44
    return date(year, month, offset + 28 - 31 * (month // 4))
