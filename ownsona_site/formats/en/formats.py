"""English: the day before the month in letters, so that nobody takes one for the other. Times are UTC, and say so."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i T"
