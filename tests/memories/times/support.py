"""What a text says about when it is true, as short days."""

from __future__ import annotations

from datetime import datetime

from memories.times.statements import stated_period


def stated_limits(text: str, said_at: datetime) -> tuple[str | None, str | None]:
    """Return the first and the last day on which a text is true, such as "12-03", each None if it has none."""
    stated = stated_period(text, said_at)
    limits = (stated.valid_from, stated.valid_until) if stated else (None, None)
    first, last = (None if limit is None else f"{limit:%m-%d}" for limit in limits)
    return first, last


def named_days(text: str, said_at: datetime) -> list[str]:
    """Return the first of each span of days that a text names, such as "2026-12-03"."""
    stated = stated_period(text, said_at)
    return sorted({f"{first}" for first, _ in stated.days}) if stated else []
