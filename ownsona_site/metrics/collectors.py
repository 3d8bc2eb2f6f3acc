"""Metrics of the server: counts and times, never the content of memories, nor names of owners or apps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import accumulate

from django.conf import settings
from django.db import connection
from django.db.models import Count
from procrastinate.contrib.django.models import ProcrastinateJob

from mcpapi.models import CallCount
from mcpapi.observability.call_counts import BOUNDS
from mcpapi.subscriptions.open_count import count_open_streams
from memories.errors import EmbeddingError
from memories.queries.census import census
from ownsona_site.metrics.exposition import MetricFamily, Sample, number
from ownsona_site.monitoring.health import components

Counted = tuple[str, str, str, float, int, float]
"""Method, tool, result, upper bound of the bucket in seconds, number of calls, and their total duration in seconds."""


def metric_families() -> Iterator[MetricFamily]:
    """Yield all metrics, counted now. It takes a few queries, each on an index or a small table."""
    counted = _counted()
    yield MetricFamily("ownsona_info", "gauge", "The running version.", [Sample(1, {"version": settings.VERSION})])
    yield MetricFamily(
        "ownsona_part_up",
        "gauge",
        "Whether a part of the server works: 1 or 0.",
        [Sample(int(component.is_healthy), {"part": component.name}) for component in components()],
    )
    yield MetricFamily("ownsona_calls_total", "counter", "Calls, by result.", list(_calls(counted)))
    yield MetricFamily("ownsona_call_seconds", "histogram", "Duration of calls.", list(_durations(counted)))
    yield MetricFamily(
        "ownsona_streams_open", "gauge", "Event streams and waiting calls.", [Sample(count_open_streams())]
    )
    yield from _memories()
    yield MetricFamily("ownsona_jobs", "gauge", "Background jobs, by state.", _jobs())
    yield MetricFamily("ownsona_database_bytes", "gauge", "Size of the database.", [Sample(_database_bytes())])


def _counted() -> list[Counted]:
    # Plain rows: creating model objects would take longer than everything else here.
    rows = CallCount.objects.values_list("method", "tool", "result", "at_most_seconds", "calls", "seconds")
    return list(rows.order_by("method", "tool", "result", "at_most_seconds"))


def _calls(counted: Iterable[Counted]) -> Iterator[Sample]:
    calls: defaultdict[tuple[str, str, str], int] = defaultdict(int)
    for method, tool, result, _, number_of_calls, _ in counted:
        calls[method, tool, result] += number_of_calls
    for (method, tool, result), total in calls.items():
        yield Sample(total, {"method": method, "tool": tool, "result": result})


def _durations(counted: Iterable[Counted]) -> Iterator[Sample]:
    calls: defaultdict[tuple[str, str], dict[float, int]] = defaultdict(lambda: dict.fromkeys(BOUNDS, 0))
    seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
    for method, tool, _, bound, number_of_calls, took in counted:
        calls[method, tool][bound] += number_of_calls
        seconds[method, tool] += took
    for (method, tool), by_bound in calls.items():
        labels = {"method": method, "tool": tool}
        for bound, total in zip(BOUNDS, accumulate(by_bound[bound] for bound in BOUNDS), strict=True):
            yield Sample(total, {**labels, "le": number(bound)}, "_bucket")
        yield Sample(seconds[method, tool], labels, "_sum")
        yield Sample(sum(by_bound.values()), labels, "_count")


def _memories() -> Iterator[MetricFamily]:
    try:
        counted = census()
    except EmbeddingError:
        # The metric ownsona_part_up reports this problem.
        return
    states = asdict(counted)
    pending = states.pop("pending")
    yield MetricFamily(
        "ownsona_memories",
        "gauge",
        "Memories, by state.",
        [Sample(count, {"state": state}) for state, count in states.items()],
    )
    yield MetricFamily("ownsona_memories_pending", "gauge", "Memories without a vector.", [Sample(pending)])


def _jobs() -> list[Sample]:
    statuses = ProcrastinateJob.objects.values_list("status").annotate(count=Count("pk")).order_by("status")
    return [Sample(count, {"state": status}) for status, count in statuses]


def _database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        (size,) = cursor.fetchone()
    return int(size)
