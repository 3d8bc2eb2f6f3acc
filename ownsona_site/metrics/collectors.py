"""Metrics of the server: counts and times, never the content of memories, nor names of owners or apps."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import accumulate

from django.conf import settings
from django.db import connection
from django.db.models import Count
from procrastinate.contrib.django.models import ProcrastinateJob
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from documents.census import count_documents_by_state, count_sources_by_state
from mcpapi.models import CallCount
from mcpapi.observability.call_counts import BOUNDS
from mcpapi.subscriptions.open_count import count_open_streams
from memories.errors import EmbeddingError
from memories.queries.census import census
from ownsona_site.monitoring.health import components

Counted = tuple[str, str, str, float, int, float]
"""Method, tool, result, upper bound of the bucket in seconds, number of calls, and their total duration in seconds."""


class ServerCollector(Collector):
    """A collector for the Prometheus client that counts everything when it is asked."""

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics, counted now. It takes a few queries, each on an index or a small table."""
        counted = _counted()
        yield _gauge("ownsona_info", "The running version.", {settings.VERSION: 1}, "version")
        yield _gauge(
            "ownsona_part_up",
            "Whether a part of the server works: 1 or 0.",
            {component.name: int(component.is_healthy) for component in components()},
            "part",
        )
        yield _calls(counted)
        yield _durations(counted)
        yield GaugeMetricFamily("ownsona_streams_open", "Event streams and waiting calls.", count_open_streams())
        yield from _memories()
        yield _gauge("ownsona_documents", "Documents, by state.", count_documents_by_state(), "state")
        yield _gauge("ownsona_sources", "Sources of documents, by state.", count_sources_by_state(), "state")
        yield _gauge("ownsona_jobs", "Background jobs, by state.", _jobs(), "state")
        yield GaugeMetricFamily("ownsona_database_bytes", "Size of the database.", _database_bytes())


def _gauge(name: str, documentation: str, values: Mapping[str, float], label: str) -> GaugeMetricFamily:
    """Return a gauge with one value for each value of its label."""
    gauge = GaugeMetricFamily(name, documentation, labels=[label])
    for labelled, value in values.items():
        gauge.add_metric([labelled], value)
    return gauge


def _counted() -> list[Counted]:
    # Plain rows: creating model objects would take longer than everything else here.
    rows = CallCount.objects.values_list("method", "tool", "result", "at_most_seconds", "calls", "seconds")
    return list(rows.order_by("method", "tool", "result", "at_most_seconds"))


def _calls(counted: Iterable[Counted]) -> CounterMetricFamily:
    calls: defaultdict[tuple[str, str, str], int] = defaultdict(int)
    for method, tool, result, _, number_of_calls, _ in counted:
        calls[method, tool, result] += number_of_calls
    family = CounterMetricFamily("ownsona_calls", "Calls, by result.", labels=["method", "tool", "result"])
    for labels, total in calls.items():
        family.add_metric(labels, total)
    return family


def _durations(counted: Iterable[Counted]) -> HistogramMetricFamily:
    calls: defaultdict[tuple[str, str], dict[float, int]] = defaultdict(lambda: dict.fromkeys(BOUNDS, 0))
    seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
    for method, tool, _, bound, number_of_calls, took in counted:
        calls[method, tool][bound] += number_of_calls
        seconds[method, tool] += took
    family = HistogramMetricFamily("ownsona_call_seconds", "Duration of calls.", labels=["method", "tool"])
    for labels, by_bound in calls.items():
        totals = accumulate(by_bound[bound] for bound in BOUNDS)
        buckets = [(_bound(bound), float(total)) for bound, total in zip(BOUNDS, totals, strict=True)]
        family.add_metric(labels, buckets, seconds[labels])
    return family


def _bound(seconds: float) -> str:
    """Return the upper bound of a bucket as Prometheus writes it."""
    return "+Inf" if seconds == math.inf else repr(seconds)


def _memories() -> Iterator[Metric]:
    try:
        counted = census()
    except EmbeddingError:
        # The metric ownsona_part_up reports this problem.
        return
    states = asdict(counted)
    pending = states.pop("pending")
    yield _gauge("ownsona_memories", "Memories, by state.", states, "state")
    yield GaugeMetricFamily("ownsona_memories_pending", "Memories without a vector.", pending)


def _jobs() -> dict[str, float]:
    statuses = ProcrastinateJob.objects.values_list("status").annotate(count=Count("pk")).order_by("status")
    return dict(statuses)


def _database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        (size,) = cursor.fetchone()
    return int(size)
