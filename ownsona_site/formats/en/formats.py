"""English: the day before the month in letters, so that nobody takes one for the other. No zone is shown."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i"
