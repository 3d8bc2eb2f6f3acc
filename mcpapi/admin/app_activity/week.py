"""The calls of an app in the last seven days, by day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Count, Q
from django.db.models.functions import TruncDate
from django.utils import timezone

from common.pages.chart_scale import top_of_scale
from mcpapi.admin.app_activity.reads import is_read, reading_tools, shows_something
from mcpapi.models import AuditLine

DAYS = 7
WIDTH, HEIGHT = 280, 136
"""The size of the chart in the units of its `viewBox`."""

_STEP, _BAR, _TOP = 40, 24, 8


@dataclass(frozen=True, slots=True)
class Bar:
    """A day of the chart: its two parts, from the bottom, in the units of the chart."""

    day: date
    reads: int
    writes: int
    x: int
    read_y: float
    read_height: float
    write_y: float
    write_height: float


@dataclass(frozen=True, slots=True)
class Week:
    """The chart of the last seven days, today last."""

    bars: Sequence[Bar]
    calls: int
    top: int
    """The count at the upper line of the chart."""

    @property
    def scale(self) -> tuple[int, int, int]:
        """The counts at the lines of the chart, from above."""
        return self.top, self.top // 2, 0


def week_of(owner_id: int, client: str) -> Week:
    """Count the successful calls of an app that read or changed something, by day in the owner's time zone. One query.

    A dry run changes nothing, but shows what it would change.
    """
    today = timezone.localdate(timezone=settings.OWNER_TIME_ZONE)
    first = today - timedelta(days=DAYS - 1)
    since = datetime(first.year, first.month, first.day, tzinfo=settings.OWNER_TIME_ZONE)
    lines = AuditLine.objects.filter(owner_id=owner_id, client_id=client, at__gte=since, result=AuditLine.OK)
    reads = is_read() | Q(dry_run=True) & shows_something()
    changes = Q(dry_run=False) & ~Q(tool__in=("", *reading_tools()))
    days = (
        lines.filter(reads | changes)
        .annotate(day=TruncDate("at", tzinfo=settings.OWNER_TIME_ZONE))
        .values("day")
        .order_by()
    )
    counted = {
        row["day"]: (row["reads"], row["calls"] - row["reads"])
        for row in days.annotate(calls=Count("pk"), reads=Count("pk", filter=reads))
    }
    top = top_of_scale(max(map(sum, counted.values()), default=0))
    unit = (HEIGHT - _TOP) / top
    bars = []
    for number in range(DAYS):
        day = first + timedelta(days=number)
        reads, writes = counted.get(day, (0, 0))
        read_height, write_height = round(reads * unit, 1), round(writes * unit, 1)
        read_y = round(HEIGHT - read_height, 1)
        write_y = round(read_y - write_height, 1)
        bars.append(Bar(day, reads, writes, number * _STEP + 8, read_y, read_height, write_y, write_height))
    return Week(bars, sum(map(sum, counted.values())), top)
