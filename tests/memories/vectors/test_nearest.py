"""Tests that the nearest memories are equal with and without an index, for every filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import numpy as np
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from benchmarks.support.sample_texts import memory_texts, questions
from memories.access import Actor, View
from memories.corpus import ACTIVE_CONDITION
from memories.database import DEFAULT_EF_SEARCH, prepare_searches
from memories.drafts import Draft
from memories.embeddings import get_embedder
from memories.embeddings.base import Matrix, Vector
from memories.models import Memory, MemoryVector
from memories.recall.pipeline import Mode, Query, recall
from memories.vectors import hnsw
from memories.vectors import nearest as module
from memories.vectors.hnsw import VectorIndex, cached_indexes, index_of, keep_vector_indexes
from memories.vectors.nearest import NearItem, Selection, nearest_items, nearest_to_each
from memories.vectors.spaces import TextVectors, current_space_id
from memories.writing.insertion import NewMemory, insert_memories
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.embeddings.embedders import matrices
from tests.support.factories import actor_for, make_user

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 600
START = timezone.now() - timedelta(days=MANY)
SELECTED: dict[str, Sequence[int]] = {
    "true": range(MANY),
    "tags && '{some}'": [number for number in range(MANY) if number % 10 == 0 and number % 100],
    "tags && '{rare}'": range(0, MANY, 100),
    "created_at >= %(since)s": range(MANY - 200, MANY),
    "false": [],
}
"""Conditions of searches, and the numbers of the memories that satisfy them."""


@pytest.fixture(autouse=True, params=[hnsw.BINARY_DIMENSIONS, 64], ids=["halfvec", "binary"])
def small_sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small limits: vectors are indexed from 100 on, with both kinds of index. They are dropped afterwards."""
    monkeypatch.setattr(hnsw, "BINARY_DIMENSIONS", request.param)
    monkeypatch.setattr(hnsw, "MAX_UNINDEXED_BYTES", 100 * 2 * 64)
    monkeypatch.setattr(module, "MAX_COMPARED_ITEMS", 30)
    yield
    for index in hnsw._catalog():
        index.drop()


@pytest.fixture
def owner() -> User:
    return make_user()


def fill(owner: User, texts: list[str], **details: Any) -> list[int]:
    """Create memories a day apart, every tenth tagged `some`, every hundredth `rare`. Return their ids."""
    actor = Actor(View.whole(owner.pk), "tests")
    new = [
        NewMemory(
            Draft(
                text, tags=("rare",) if number % 100 == 0 else ("some",) if number % 10 == 0 else ("many",),
                created_at=START + timedelta(days=number), **details,
            ).checked(),
            TextVectors(current_space_id(), vectors.windows),
        )
        for number, (text, vectors) in enumerate(zip(texts, get_embedder().embed(texts), strict=True))
    ]  # fmt: skip
    ids = insert_memories(actor, new)
    assert all(ids)
    return [memory_id for memory_id in ids if memory_id]


def everything(owner: User) -> Selection:
    return Selection(View.whole(owner.pk), ACTIVE_CONDITION)


def only(owner: User, condition: str, **parameters: object) -> Selection:
    return Selection(View.whole(owner.pk), f"{ACTIVE_CONDITION} AND {condition}", parameters, is_narrow=True)


def nearest(selection: Selection, vector: Vector, count: int) -> list[NearItem]:
    return nearest_items(selection, current_space_id(), vector, count)


def brute_force(owner: User, vector: Vector, allowed: set[int], count: int) -> list[NearItem]:
    """Compute the nearest memories from the stored vectors with numpy."""
    best: dict[int, float] = {}
    for row in MemoryVector.objects.filter(owner=owner, memory_id__in=allowed):
        stored = np.asarray(row.embedding, dtype=np.float64)
        asked = vector.astype(np.float16).astype(np.float64)
        cosine = float(stored @ asked / np.linalg.norm(stored) / np.linalg.norm(asked))
        best[row.memory_id] = max(cosine, best.get(row.memory_id, -1.0))
    return sorted((NearItem(*pair) for pair in best.items()), key=lambda near: (-near.similarity, -near.item_id))[
        :count
    ]


def shared_part(found: list[NearItem], expected: list[NearItem]) -> float:
    """Return the share of expected memories that were found. Any that is as near as the last expected one counts."""
    least = expected[-1].similarity - 1e-4
    return sum(near.similarity >= least for near in found) / len(expected)


def index(owner: User) -> VectorIndex:
    cached_indexes.invalidate()
    found = index_of(owner.pk, current_space_id())
    assert found is not None
    return found


@pytest.mark.parametrize("is_indexed", [False, True])
def test_the_nearest_are_those_of_brute_force_under_any_filter(owner: User, is_indexed: bool) -> None:
    fill(make_user(), memory_texts(MANY, seed=5))
    ids = fill(owner, memory_texts(MANY))
    forget_memory(actor_for(owner), ids[3])
    if is_indexed:
        keep_vector_indexes()
        assert index(owner).covered == ids[-1]
    since = START + timedelta(days=MANY - 200)
    vectors = get_embedder().embed_queries(questions(8))
    for (condition, selected), vector in product(SELECTED.items(), vectors):
        allowed = {ids[number] for number in selected} - {ids[3]}
        found = nearest(only(owner, condition, since=since), vector, 50)
        expected = brute_force(owner, vector, allowed, 50)
        assert len(found) == len(expected) == min(50, len(allowed)), condition
        assert not {near.item_id for near in found} - allowed, condition
        # The signs of the 64 dimensions of the fake model are few: real models with a binary index have 1,000 and more.
        least = 0.5 if is_indexed and hnsw.BINARY_DIMENSIONS == 64 else 0.98
        assert not expected or shared_part(found, expected) >= least, condition
        assert [near.similarity for near in found] == sorted((near.similarity for near in found), reverse=True)


def test_a_limited_view_sees_the_nearest_of_its_own(owner: User) -> None:
    ids = fill(owner, memory_texts(MANY))
    keep_vector_indexes()
    vector = get_embedder().embed_query(questions(1)[0])
    for tags, mine in ((("rare",), ids[::100]), (("many",), [i for n, i in enumerate(ids) if n % 10])):
        found = nearest(Selection(View(owner.pk, tags), ACTIVE_CONDITION), vector, 20)
        assert shared_part(found, brute_force(owner, vector, set(mine), 20)) >= 0.95
        assert {near.item_id for near in found} <= set(mine)


def test_what_came_after_the_index_is_found_beside_what_it_covers(owner: User) -> None:
    old = fill(owner, memory_texts(MANY))
    keep_vector_indexes()
    new = fill(owner, ["Ada has a flat in Graz with two cats and a piano"])
    found = nearest(
        everything(owner), get_embedder().embed_query("Ada has a flat in Graz with two cats and a piano"), 10
    )
    assert found[0].item_id == new[0]
    assert found[0].similarity == pytest.approx(1, abs=1e-3)
    assert {near.item_id for near in found[1:]} <= set(old)
    assert len(found) == 10


def test_a_recall_by_meaning_finds_the_same_with_and_without_an_index(owner: User) -> None:
    fill(owner, memory_texts(MANY))
    view = View.whole(owner.pk)
    asked = [Query(question, mode=Mode.SEMANTIC) for question in questions(8)]
    without = [[match.memory.pk for match in recall(view, query).matches] for query in asked]
    keep_vector_indexes()
    assert index(owner).covered
    found = [[match.memory.pk for match in recall(view, query).matches] for query in asked]
    assert np.mean([len(set(one) & set(other)) / len(other) for one, other in zip(found, without, strict=True)]) > 0.9


def test_an_index_that_gives_up_among_the_forgotten_loses_nothing(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_EF_SEARCH", 10)
    vector = get_embedder().embed_query(questions(1)[0])
    ids = fill(owner, memory_texts(MANY))
    keep_vector_indexes()
    by_nearness = [found.item_id for found in brute_force(owner, vector, set(ids), MANY)]
    # Fewer than the search wants stay active, so that it must give up, whichever vectors it happens to visit.
    active = set(by_nearness[180:240])
    Memory.objects.filter(pk__in=set(ids) - active).update(deleted_at=timezone.now())
    later = fill(owner, [f"zinc, quartz and number {number}" for number in range(150)])
    with connection.cursor() as cursor:
        # The settings produce the query plan of a table with many more rows.
        cursor.execute("SET enable_seqscan = off; SET enable_sort = off")
        cursor.execute("SET hnsw.ef_search = 10; SET hnsw.max_scan_tuples = 1")
        found = nearest(everything(owner), vector, 50)
        cursor.execute("RESET enable_seqscan; RESET enable_sort")
    prepare_searches(connection)
    expected = brute_force(owner, vector, {*active, *later}, 50)
    assert {item.item_id for item in expected} & active
    assert shared_part(found, expected) == 1


def test_a_search_that_ends_among_the_forgotten_is_repeated_until_it_is_past_them(
    owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ids = fill(owner, memory_texts(MANY))
    keep_vector_indexes()
    vector = get_embedder().embed_query(questions(1)[0])
    forgotten = [found.item_id for found in brute_force(owner, vector, set(ids), MANY - 60)]
    Memory.objects.filter(pk__in=forgotten).update(deleted_at=timezone.now())
    with django_assert_num_queries(2 if index(owner).is_binary else 1):
        found = nearest(everything(owner), vector, 10)
    assert len(found) == 10
    assert {item.item_id for item in found} <= set(ids) - set(forgotten)


def test_a_search_uses_the_index_of_its_owner(owner: User) -> None:
    fill(owner, memory_texts(MANY))
    keep_vector_indexes()
    vector = get_embedder().embed_query(questions(1)[0])
    index(owner)
    with CaptureQueriesContext(connection) as queries:
        nearest(everything(owner), vector, 10)
    (search,) = [query["sql"] for query in queries if "ORDER BY" in query["sql"]]
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off; SET enable_sort = off")
        cursor.execute(f"EXPLAIN {search}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
        cursor.execute("RESET enable_seqscan; RESET enable_sort")
    assert index(owner).name in plan


def test_a_search_considers_as_many_vectors_as_it_compares(owner: User) -> None:
    fill(owner, memory_texts(MANY))
    keep_vector_indexes()
    vector = get_embedder().embed_query(questions(1)[0])
    is_binary = index(owner).is_binary
    with transaction.atomic(), connection.cursor() as cursor:
        nearest(everything(owner), vector, 100)
        cursor.execute("SHOW hnsw.ef_search")
        assert cursor.fetchone() == ("375" if is_binary else "250",)
    with connection.cursor() as cursor:
        cursor.execute("SHOW hnsw.ef_search")
        assert cursor.fetchone() == (str(DEFAULT_EF_SEARCH),)


def test_what_other_owners_have_is_not_read(owner: User) -> None:
    fill(owner, memory_texts(20))
    fill(make_user(), memory_texts(MANY))
    vector = get_embedder().embed_query(questions(1)[0])
    nearest(everything(owner), vector, 10)
    with CaptureQueriesContext(connection) as queries:
        nearest(everything(owner), vector, 10)
    (search,) = [query["sql"] for query in queries]
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        cursor.execute(f"EXPLAIN {search}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
        cursor.execute("RESET enable_seqscan")
    assert "vector_owner_space_memory" in plan


def test_long_memories_do_not_take_the_places_of_others(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def many_windows(text: str) -> Matrix:
        return np.concatenate(matrices(get_embedder(), [f"{text} {number}" for number in range(12)]))

    texts = [f"the harbour at night, part {letter}" for letter in "abcdefghij"]
    actor = Actor(View.whole(owner.pk), "tests")
    insert_memories(
        actor, [NewMemory(Draft(text).checked(), TextVectors(current_space_id(), many_windows(text))) for text in texts]
    )
    fill(owner, memory_texts(50))
    vector = get_embedder().embed_query("the harbour at night, part")
    for _ in range(2):
        found = nearest(everything(owner), vector, 30)
        assert len({near.item_id for near in found}) == 30
        expected = brute_force(owner, vector, set(Memory.objects.filter(owner=owner).values_list("pk", flat=True)), 30)
        assert shared_part(found, expected) >= 0.95
        keep_vector_indexes()


def test_ties_are_broken_by_age(owner: User) -> None:
    vectors = TextVectors(current_space_id(), get_embedder().embed(["tea"])[0].windows)
    actor = Actor(View.whole(owner.pk), "tests")
    ids = insert_memories(actor, [NewMemory(Draft(f"tea {n}").checked(), vectors) for n in range(5)])
    found = nearest(everything(owner), get_embedder().embed_query("tea"), 3)
    assert [near.item_id for near in found] == ids[:1:-1]


def test_a_search_takes_few_statements(owner: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    fill(owner, memory_texts(MANY))
    vector = get_embedder().embed_query(questions(1)[0])
    nearest(everything(owner), vector, 10)
    with django_assert_num_queries(1):
        nearest(everything(owner), vector, 10)
    with django_assert_num_queries(2):
        nearest(only(owner, "tags && '{rare}'"), vector, 10)
    keep_vector_indexes()
    index(owner)
    with django_assert_num_queries(1):
        nearest(everything(owner), vector, 10)
    with django_assert_num_queries(1):  # More vectors are considered without a statement for the setting.
        nearest(everything(owner), vector, 100)


def test_the_time_of_a_memory_is_no_part_of_its_order(owner: User) -> None:
    (early,) = fill(owner, ["tea with milk"])
    Memory.objects.filter(pk=early).update(created_at=datetime(1999, 1, 1, tzinfo=START.tzinfo))
    fill(owner, ["coffee with milk", "water"])
    assert nearest(everything(owner), get_embedder().embed_query("tea with milk"), 1)[0].item_id == early


def test_many_vectors_find_together_what_each_finds_alone(
    owner: User, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(module, "READ_PER_SEARCH", 20)
    ids = fill(owner, memory_texts(MANY))
    vectors = np.stack([get_embedder().embed_query(question) for question in questions(20)])
    assert nearest_to_each(everything(owner), current_space_id(), vectors, 10) is None  # There is no index.
    keep_vector_indexes()
    forget_memory(actor_for(owner), ids[3])
    fill(owner, memory_texts(30, seed=7))
    index(owner)

    with django_assert_num_queries(2):
        together = nearest_to_each(everything(owner), current_space_id(), vectors, 10)

    assert together is not None
    # The forgotten memory may be a candidate of one search only: the other has another candidate in its place.
    least = 0.8 if index(owner).is_binary else 1.0
    for vector, found in zip(vectors, together, strict=True):
        assert shared_part(found, nearest(everything(owner), vector, 10)) >= least
    more = np.concatenate([vectors] * 2)
    assert nearest_to_each(everything(owner), current_space_id(), more, 10) is None  # A scan is faster.
    some = Selection(View(owner.pk, ("some",)), ACTIVE_CONDITION)
    assert nearest_to_each(some, current_space_id(), vectors, 10) is None
    nothing = Selection(View.whole(owner.pk), "false")
    assert nearest_to_each(nothing, current_space_id(), vectors, 10) is None
