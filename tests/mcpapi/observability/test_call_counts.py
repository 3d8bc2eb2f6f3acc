"""Tests of the counts of calls by kind and duration, over all processes."""

from __future__ import annotations

import math

import pytest
from django.db import connection
from django.db.models import Sum
from pytest_django import DjangoAssertNumQueries, Settings

from mcpapi.models import CallCount
from mcpapi.observability.audit import audit_lines
from mcpapi.observability.call_counts import BOUNDS, Count, Kind, _write, count_call, counts
from tests.support.concurrency import in_threads
from tests.support.factories import Assistant
from tests.support.mcp.rest_client import RestClient


@pytest.fixture(autouse=True)
def metrics(settings: Settings) -> None:
    settings.METRICS_TOKEN = "m" * 32


def counted() -> dict[tuple[str, str, str], int]:
    """Return the number of calls by method, tool and result."""
    counts.flush()
    rows = CallCount.objects.values_list("method", "tool", "result").annotate(Sum("calls"))
    return {(method, tool, result): calls for method, tool, result, calls in rows}


def test_calls_are_counted_by_method_tool_and_result(assistant: Assistant) -> None:
    assistant.call("ping")
    assistant.call("ping")
    assistant.error_of("get_memory", id=10**9)
    assistant.request("tools/list")
    assistant.request("no/such")
    RestClient(assistant.token).post("/tools/ping")
    assert counted() == {
        ("tools/call", "ping", "ok"): 3,
        ("tools/call", "get_memory", "NOT_FOUND"): 1,
        ("tools/list", "", "ok"): 1,
        ("(unknown)", "", "method_not_found"): 1,
    }


def test_each_call_over_the_rate_limit_counts(assistant: Assistant, settings: Settings) -> None:
    settings.MCP_RATE_LIMIT_PER_MINUTE = 1
    for _ in range(4):
        assistant.request("ping")
    assert counted() == {("ping", "", "ok"): 1, ("ping", "", "rate_limited"): 3}


def test_calls_are_counted_where_no_record_is_kept(assistant: Assistant, settings: Settings) -> None:
    settings.AUDIT_DAYS = 0
    assistant.request("ping")
    assert not audit_lines._waiting
    assert counted() == {("ping", "", "ok"): 1}


@pytest.mark.parametrize(
    ("seconds", "bound"), [(0.0, 0.005), (0.005, 0.005), (0.0051, 0.01), (9.9, 10.0), (11.0, math.inf)]
)
@pytest.mark.django_db
def test_a_call_is_counted_under_the_bound_that_it_did_not_exceed(seconds: float, bound: float) -> None:
    count_call("ping", "", "ok", seconds)
    counts.flush()
    assert bound in BOUNDS
    assert list(CallCount.objects.values_list("at_most_seconds", "calls", "seconds")) == [(bound, 1, seconds)]


@pytest.mark.django_db
def test_counts_add_up_from_one_writing_to_the_next() -> None:
    for seconds in (0.5, 0.25):
        count_call("tools/call", "recall", "ok", seconds)
        count_call("tools/call", "recall", "ok", seconds)
        counts.flush()
    assert CallCount.objects.aggregate(calls=Sum("calls"), seconds=Sum("seconds")) == {"calls": 4, "seconds": 1.5}


@pytest.mark.django_db(transaction=True)
def test_processes_that_count_at_once_lose_nothing() -> None:
    kinds: list[Kind] = [("tools/call", tool, "ok", bound) for tool in ("recall", "remember") for bound in BOUNDS]

    def write_in_some_order(number: int) -> None:
        notes: dict[Kind, Count] = dict.fromkeys(kinds if number % 2 else reversed(kinds), (1, 0.5))
        for _ in range(5):
            _write(notes)

    in_threads(4, write_in_some_order)
    assert set(CallCount.objects.values_list("calls", flat=True)) == {20}


def test_without_metrics_nothing_is_counted(assistant: Assistant, settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    assistant.request("ping")
    assert counted() == {}


def test_no_call_waits_for_its_count(assistant: Assistant, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    assistant.request("ping")
    with django_assert_num_queries(1):
        assistant.request("ping")
    assert counted() == {("ping", "", "ok"): 2}


@pytest.mark.django_db
def test_it_costs_no_write_to_the_log_of_the_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'mcpapi_callcount'")
        assert cursor.fetchone() == ("u",)
