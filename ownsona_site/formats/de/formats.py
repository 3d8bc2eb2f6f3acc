"""German: as Django's own formats, with the usual short names of months: "1. März 2026", "25. Nov. 2026"."""

DATE_FORMAT = "j. N Y"
DATETIME_FORMAT = "j. N Y, H:i"
