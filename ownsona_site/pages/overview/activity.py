"""The chart of calls by day and app."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.core.cache import cache
from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop, pgettext

from common.pages.app_colours import GREY, distinct_colours
from common.pages.chart_scale import top_of_scale
from mcpapi.models import AuditLine

DAYS = 14
MAX_APPS = 5
"""Number of apps with a colour of their own. The others are added up."""

OTHERS = gettext_noop("Others")
SECONDS = 60
WIDTH, HEIGHT, TOP, STEP, BAR, GAP = 560, 136, 8, 40, 24, 1


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a day's column, in the units of the chart. `colour` is a class of the stylesheet."""

    x: int
    y: float
    height: float
    colour: str


@dataclass(frozen=True, slots=True)
class Activity:
    """Calls by day and app: `rows` are the days with their counts in the order of `apps`, the first day first."""

    apps: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, Sequence[int]]]
    bars: Sequence[Bar]
    top: int
    """The count at the upper line of the chart."""

    @property
    def scale(self) -> tuple[int, int, int]:
        """The counts at the lines of the chart, from above."""
        return self.top, self.top // 2, 0

    @property
    def axis(self) -> tuple[str, str, str]:
        """The labels of the first day, of one in the middle and of the last."""
        days = [day for day, _ in self.rows]
        return days[0], days[len(days) // 2], gettext("Today")


def activity_of(owner_id: int) -> Activity | None:
    """Return the calls of the last DAYS days in the current time zone; None without any. Counted once a minute."""
    today = timezone.localdate()
    key = f"activity-{owner_id}-{today}-{timezone.get_current_timezone_name()}"
    counts: dict[tuple[date, str], int] | None = cache.get(key)
    if counts is None:
        counts = _count(owner_id, today)
        # A new owner sees the first calls at once.
        if counts:
            cache.set(key, counts, SECONDS)
    return _chart(counts, today) if counts else None


def _count(owner_id: int, today: date) -> dict[tuple[date, str], int]:
    first = datetime.combine(today - timedelta(days=DAYS - 1), time.min, timezone.get_current_timezone())
    lines = AuditLine.objects.filter(owner_id=owner_id, at__gte=first).order_by()
    grouped = lines.annotate(day=TruncDate("at")).values_list("day", "client_name").annotate(calls=Count("pk"))
    return {(day, name): calls for day, name, calls in grouped}


def _chart(counts: dict[tuple[date, str], int], today: date) -> Activity:
    totals: Counter[str] = Counter()
    for (_, name), calls in counts.items():
        totals[name] += calls
    shown = [name for name, _ in totals.most_common(MAX_APPS)]
    names = [*shown, OTHERS] if len(totals) > len(shown) else shown
    of_apps = distinct_colours(shown)
    colours = [of_apps.get(name, GREY) for name in names]
    days = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    rows = []
    for day in days:
        of_day = [counts.get((day, name), 0) for name in shown]
        if OTHERS in names:
            of_day.append(sum(calls for (at, name), calls in counts.items() if at == day and name not in shown))
        rows.append((date_format(day, pgettext("format of a day of the year", "j M")), of_day))
    titles = [gettext(name) if name is OTHERS else name for name in names]
    top = top_of_scale(max(sum(values) for _, values in rows))
    return Activity(list(zip(titles, colours, strict=True)), rows, _bars(rows, colours, top), top)


def _bars(rows: Sequence[tuple[str, Sequence[int]]], colours: Sequence[str], top: int) -> list[Bar]:
    scale = (HEIGHT - TOP) / top
    bars = []
    for place, (_, values) in enumerate(rows):
        bottom = float(HEIGHT)
        for colour, value in zip(colours, values, strict=True):
            if value:
                height = max(value * scale - GAP, 1.0)
                bars.append(Bar(8 + place * STEP, round(bottom - height, 1), round(height, 1), colour))
                bottom -= height + GAP
    return bars
