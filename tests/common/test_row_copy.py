"""Tests of inserting rows by COPY."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from common.row_copy import copy_rows
from memories.models import PastRecall
from tests.support.factories import make_user


def values_of(owner_id: int) -> dict[str, Any]:
    """Return the columns of one recall, with values that are hard to encode."""
    return {
        "owner_id": owner_id,
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


@pytest.mark.django_db
def test_every_kind_of_value_comes_back_as_it_was(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    values = values_of(make_user().pk)
    with django_assert_num_queries(1):
        copy_rows([PastRecall(**values), PastRecall(**{**values, "limit": 2})])
    first, second = PastRecall.objects.order_by("pk")
    assert {name: getattr(first, name) for name in values} == values
    assert second.limit == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("refused", [{"owner_id": 2**40}, {"query": "secret \x00"}])
def test_a_row_that_the_database_refuses_takes_no_other_along(
    refused: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    values = values_of(make_user().pk)
    copy_rows([PastRecall(**{**values, "limit": limit, **(refused if limit == 2 else {})}) for limit in (1, 2, 3)])
    assert list(PastRecall.objects.order_by("pk").values_list("limit", flat=True)) == [1, 3]
    assert "memories_pastrecall was refused" in caplog.text
    assert "secret" not in caplog.text
