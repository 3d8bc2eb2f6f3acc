"""The days of appointments in a briefing: what "next Tuesday" means depends on when it was said."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.conf import settings

from memories.briefing.selection import Ranked
from memories.times.statements import has_only_relative_dates
from memories.times.written_days import written_day


def with_days(each: Ranked, today: datetime) -> Ranked:
    """Return what is to come with its days after its text, if the text only gives them relative to when it was said.
    What was announced for a day that is past has this day after its text.

    `today` is the beginning of the current day.
    """
    memory = each.memory
    if memory.announced_day is not None and memory.aspect is None:
        return replace(each, memory=replace(memory, text=f"{memory.text} (past: {written_day(memory.announced_day)})"))
    if not (each.reasons.upcoming and has_only_relative_dates(memory.text)):
        return each
    days = _days(memory.valid_from, memory.valid_until, today)
    return replace(each, memory=replace(memory, text=f"{memory.text} ({days})")) if days else each


def _days(first: datetime | None, last: datetime | None, today: datetime) -> str:
    """Return the days from the first to the last as text; empty if neither is known."""
    if last is None:
        return f"from {_day(first)}" if first else ""
    if first is None:
        return f"by {_day(last)}"
    if first <= today < last and _day(today) != _day(last):
        return f"until {_day(last)}"
    return _day(last) if _day(first) == _day(last) else f"{_day(first)} to {_day(last)}"


def _day(moment: datetime) -> str:
    return written_day(moment.astimezone(settings.OWNER_TIME_ZONE).date())
