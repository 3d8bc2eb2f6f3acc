"""German: as Django's own formats, with the months in letters, as on the English pages."""

DATE_FORMAT = "j. M Y"
DATETIME_FORMAT = "j. M Y, H:i"
