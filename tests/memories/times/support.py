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
