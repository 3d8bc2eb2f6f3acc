"""Formatting of numbers and times for the output of the commands."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

SHOWN_TABLES = {
    "memories_memory": ("memory", "memories"),
    "memories_journalentry": ("history entry", "history entries"),
    "oauthserver_connection": ("connected app", "connected apps"),
    "oauthserver_personaltoken": ("personal token", "personal tokens"),
    "oauthserver_user": ("user", "users"),
}
KILO = 1000
UNITS = ("bytes", "kB", "MB", "GB", "TB")


def counts(rows: Mapping[str, int]) -> str:
    """Format the row counts of the tables that owners know: `12 memories, 30 history entries, …`."""
    shown = [(rows[table], *names) for table, names in SHOWN_TABLES.items() if table in rows]
    return ", ".join(f"{number:,} {one if number == 1 else many}" for number, one, many in shown)


def moment(time: datetime) -> str:
    """Format a time in UTC, to the second."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def size(number: float) -> str:
    """Format a number of bytes with three digits at most: `3.2 MB`."""
    unit = 0
    while number >= KILO and unit < len(UNITS) - 1:
        number, unit = number / KILO, unit + 1
    return f"{number:.0f} {UNITS[unit]}" if unit == 0 or number >= 100 else f"{number:.1f} {UNITS[unit]}"
