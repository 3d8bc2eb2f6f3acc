"""Tests of recall by meaning alone, whose search also reads the matches."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memories.access import View
from memories.models import Memory
from memories.recall import pipeline
from memories.recall.filters import RecallFilters
from memories.recall.matches import further_columns, load_matches
from memories.recall.pipeline import Mode, Query, recall
from memories.vectors.hnsw import VectorIndex
from memories.vectors.nearest import _index_search
from oauthserver.models import User
from tests.support.embeddings.embedders import use_windows
from tests.support.factories import make_memory, make_user


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


@pytest.mark.parametrize(
    "details",
    [
        {},
        {"limit": 2},
        {"min_score": 0.4},
        {"min_score": 0.99},
        {"tags": ["tea"]},
        {"since": datetime(2020, 1, 1, tzinfo=UTC)},
    ],
)
def test_the_search_reads_the_matches_that_a_further_query_would_load(
    owner: User, monkeypatch: pytest.MonkeyPatch, details: dict[str, Any]
) -> None:
    use_windows(monkeypatch, 60)
    fence = "Nobody has painted the garden fence since autumn."
    for number in range(4):
        make_memory(owner, f"Ada has {number} cups. The tea is in the upper drawer. {fence}", tags=["tea"])
        make_memory(owner, f"Bruno no longer has {number} cups of tea", agent="tidier")
        make_memory(owner, f"zzz qqq {number}")
    asked_at = datetime(2026, 5, 17, tzinfo=UTC)
    query = Query("How many cups of tea has Ada?", mode=Mode.SEMANTIC, asked_at=asked_at, **details)

    read_by_search = recall(View.whole(owner.pk), query)

    def load_with_query(*arguments: Any, read: object, **state: Any) -> Any:
        assert bool(read) is not bool({"tags", "since"} & details.keys()), "A narrow search compares what is selected."
        return load_matches(*arguments, **state)

    monkeypatch.setattr(pipeline, "load_matches", load_with_query)
    loaded = recall(View.whole(owner.pk), query)

    assert read_by_search == loaded
    fields = [field.attname for field in Memory._meta.concrete_fields]
    for one, other in zip(read_by_search.matches, loaded.matches, strict=True):
        assert [getattr(one.memory, name) for name in fields] == [getattr(other.memory, name) for name in fields]
    assert bool(loaded.matches) is (details.get("min_score") != 0.99)


def test_the_statement_of_a_search_that_reads_its_matches_is_short_enough_to_be_cached(owner: User) -> None:
    further = further_columns(8)
    index = VectorIndex(space_id=10**6, owner_id=10**6, covered=10**9, is_binary=True)
    search = _index_search(RecallFilters(View.whole(owner.pk)).selection, 16, index, 1536, checks_after=True)

    # psycopg's MAX_CACHED_STATEMENT_LENGTH.
    assert len(further.sql.replace("{search}", " ".join(search.split()))) <= 4096
