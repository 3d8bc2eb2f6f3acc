"""Numbers and durations of calls, counted in PostgreSQL for all processes together, for /metrics."""

from __future__ import annotations

import math
from bisect import bisect_left

from django.conf import settings
from django.db import connection

from common.write_behind import MergeBehind

FLUSH_DELAY_SECONDS = 1.0
MAX_WAITING = 10_000
"""The most kinds of calls that wait to be written. There are fewer kinds than this."""

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, math.inf)
"""Upper bounds in seconds: a call is counted under the smallest bound that it did not exceed."""

Kind = tuple[str, str, str, float]
"""Method, tool, result, and one of BOUNDS."""

Count = tuple[int, float]
"""The number of calls, and their seconds in total."""

ADD = """
    INSERT INTO mcpapi_callcount AS kept (method, tool, result, at_most_seconds, calls, seconds)
    SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::float8[], %s::int8[], %s::float8[])
        ON CONFLICT (method, tool, result, at_most_seconds) DO UPDATE
       SET calls = kept.calls + excluded.calls, seconds = kept.seconds + excluded.seconds
"""


def count_call(method: str, tool: str, result: str, seconds: float) -> None:
    """Count a call, if the metrics are enabled. Costs microseconds and never waits for the database."""
    if settings.METRICS_TOKEN:
        counts.add((method, tool, result, BOUNDS[bisect_left(BOUNDS, seconds)]), (1, seconds))


def _together(kept: Count, new: Count) -> Count:
    return kept[0] + new[0], kept[1] + new[1]


def _write(waiting: dict[Kind, Count]) -> None:
    # Sorted, so that two processes never deadlock on each other's rows.
    rows = [(*kind, *waiting[kind]) for kind in sorted(waiting)]
    with connection.cursor() as cursor:
        cursor.execute(ADD, [list(column) for column in zip(*rows, strict=True)])


counts: MergeBehind[Kind, Count] = MergeBehind(_write, _together, limit=MAX_WAITING, seconds=FLUSH_DELAY_SECONDS)
