"""German: as Django's own formats, with the months in letters and with the zone, as on the English pages."""

DATE_FORMAT = "j. M Y"
DATETIME_FORMAT = "j. M Y, H:i T"
