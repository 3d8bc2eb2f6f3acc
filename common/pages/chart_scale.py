"""The scale beside a chart of counts."""

from __future__ import annotations

_STEPS = (2, 4, 6, 8, 10)


def top_of_scale(highest: int) -> int:
    """Return a round, even number, at least the highest count: the chart has a line at it and one at half of it."""
    power = 1
    while highest > 10 * power:
        power *= 10
    return next(step * power for step in _STEPS if step * power >= highest)
