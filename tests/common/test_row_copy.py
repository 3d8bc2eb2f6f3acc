"""Rows that are inserted by COPY."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pytest_django import DjangoAssertNumQueries

from common.row_copy import copy_rows
from memories.models import PastRecall
from tests.factories import make_user


@pytest.mark.django_db
def test_every_kind_of_value_comes_back_as_it_was(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    values = {
        "owner_id": make_user().pk,
        "at": datetime(2026, 5, 17, 14, 0, 0, 123456, tzinfo=UTC),
        "client": "",
        "tool": "tab\tline\nback\\slash \\N ö😀",
        "milliseconds": 0.25,
        "query": "",
        "mode": "hybrid",
        "limit": -1,
        "min_score": 1e-7,
        "tags": ['a "quoted", {one}', ""],
        "only_tags": [],
        "since": None,
        "until": datetime(1900, 1, 1, tzinfo=UTC),
        "capture_mode": None,
        "only_keywords": True,
        "matches": [{"id": 2**62, "score": None, "parts": {"ö": 0.1}}],
        "near_misses": [],
    }
    with django_assert_num_queries(1):
        copy_rows([PastRecall(**values), PastRecall(**{**values, "limit": 2})])
    first, second = PastRecall.objects.order_by("pk")
    assert {name: getattr(first, name) for name in values} == values
    assert second.limit == 2
