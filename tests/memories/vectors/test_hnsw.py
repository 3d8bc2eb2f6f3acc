"""Tests of vector indexes: built, rebuilt and repaired in the background, without delaying writes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import psutil
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from benchmarks.support.sample_texts import memory_texts
from memories.corpus import MEMORIES, corpora
from memories.drafts import Draft
from memories.models import EmbeddingSpace, Memory, MemoryVector
from memories.tasks import keep_indexes
from memories.vectors import growth, hnsw
from memories.vectors.growth import MUCH, SETTLED_SECONDS, Growth, Key
from memories.vectors.hnsw import VectorIndex, cached_indexes, index_of, keep_vector_indexes
from memories.vectors.index_queue import KEEP_INDEXES, MANY_MEMORIES
from memories.vectors.spaces import current_space_id
from memories.writing.deduplication import DedupPolicy
from memories.writing.remembering import RememberRequest, remember_all
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def small_sizes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(hnsw, "MAX_UNINDEXED_BYTES", 20 * 2 * 64)
    yield
    for index in hnsw._catalog():
        index.drop()


def fill(owner: User, count: int, seed: int = 1) -> int:
    """Create `count` memories and return the id of the last."""
    remember_all(
        actor_for(owner), [RememberRequest(Draft(text), DedupPolicy.INSERT) for text in memory_texts(count, seed)]
    )
    return Memory.objects.filter(owner=owner).latest("pk").pk


def names() -> list[str]:
    return sorted(index.name for index in hnsw._catalog())


def test_an_owner_gets_an_index_when_there_are_more_than_a_few_vectors() -> None:
    few, many = make_user(), make_user()
    fill(few, 20)
    last = fill(many, 21)

    keep_indexes(0)

    space_id = current_space_id()
    assert names() == [f"vector_nearest_{space_id}_{many.pk}_{last}"]
    assert index_of(few.pk, space_id) is None
    assert index_of(many.pk, space_id) == VectorIndex(space_id, many.pk, last)


def test_an_index_is_renewed_when_much_came_after_it() -> None:
    owner = make_user()
    first = fill(owner, 25)
    keep_vector_indexes()
    fill(owner, 20, seed=2)
    keep_vector_indexes()
    assert names() == [VectorIndex(current_space_id(), owner.pk, first).name]

    last = fill(owner, 1, seed=3)
    keep_vector_indexes()

    assert names() == [VectorIndex(current_space_id(), owner.pk, last).name]


def test_after_an_import_the_index_is_renewed_for_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = make_user()
    first = fill(owner, 300)
    keep_vector_indexes()
    last = fill(owner, 25, seed=2)
    keep_vector_indexes()
    assert names() == [VectorIndex(current_space_id(), owner.pk, first).name]

    monkeypatch.setattr(growth, "SETTLED_SECONDS", 0.0)
    keep_vector_indexes()

    assert names() == [VectorIndex(current_space_id(), owner.pk, last).name]


def test_growth_has_ended_after_a_while_with_few_new_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    key, now, seen = Key(MEMORIES, 1, 1), 1_000.0, Growth()
    monkeypatch.setattr(growth, "time", SimpleNamespace(monotonic=lambda: now))
    assert not seen.has_ended(key, 500)
    now += SETTLED_SECONDS - 1
    assert not seen.has_ended(key, 500 + MUCH)
    now += 1
    assert seen.has_ended(key, 500 + MUCH)
    assert not seen.has_ended(Key(MEMORIES, 2, 1), 500)
    assert not seen.has_ended(key, 501 + MUCH)
    now += SETTLED_SECONDS
    assert seen.has_ended(key, 501 + MUCH)


def test_a_write_does_not_touch_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = make_user()
    fill(owner, 25)
    keep_vector_indexes()
    index = index_of(owner.pk, current_space_id())
    assert index is not None
    sizes = "SELECT pg_relation_size(%s), (SELECT count(*) FROM memories_memoryvector)"
    with connection.cursor() as cursor:
        cursor.execute(sizes, [index.name])
        size, count = cursor.fetchone()
        fill(owner, 200, seed=4)
        cursor.execute(sizes, [index.name])
        assert cursor.fetchone() == (size, count + 200)


def test_an_index_whose_building_was_cut_short_is_healed() -> None:
    owner = make_user()
    last = fill(owner, 25)
    index = VectorIndex(current_space_id(), owner.pk, last)
    index.build(64, 25)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", [index.name])
    cached_indexes.invalidate()
    assert index_of(owner.pk, current_space_id()) is None

    keep_vector_indexes()

    assert hnsw._catalog() == {index: True}


def test_an_index_that_cannot_be_built_is_in_nobody_elses_way(monkeypatch: pytest.MonkeyPatch) -> None:
    unlucky, lucky = make_user(), make_user()
    first, last = fill(unlucky, 25), fill(lucky, 25)
    build = VectorIndex.build

    def build_or_fail(index: VectorIndex, dimensions: int, vectors: int) -> None:
        build(index, 0 if index.owner_id == unlucky.pk else dimensions, vectors)

    monkeypatch.setattr(VectorIndex, "build", build_or_fail)
    keep_vector_indexes()
    assert names() == [VectorIndex(current_space_id(), lucky.pk, last).name]

    monkeypatch.undo()
    monkeypatch.setattr(hnsw, "MAX_UNINDEXED_BYTES", 20 * 2 * 64)
    keep_vector_indexes()
    assert VectorIndex(current_space_id(), unlucky.pk, first).name in names()


def test_an_index_of_which_nothing_is_left_is_dropped() -> None:
    owner = make_user()
    fill(owner, 25)
    keep_vector_indexes()
    assert len(names()) == 1
    MemoryVector.objects.filter(owner=owner).delete()

    keep_vector_indexes()

    assert names() == []


def test_two_at_once_build_one_index() -> None:
    fill(make_user(), 25)
    start = threading.Barrier(2)

    def work() -> None:
        start.wait(10)
        try:
            keep_vector_indexes()
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [index for index, is_valid in hnsw._catalog().items() if is_valid]
    assert len(names()) == 1


def test_long_vectors_get_a_binary_index(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = make_user()
    first = fill(owner, 25)
    keep_vector_indexes()
    monkeypatch.setattr(hnsw, "BINARY_DIMENSIONS", 64)
    keep_vector_indexes()
    # The index of an earlier version is used until it is outgrown.
    assert names() == [f"vector_nearest_{current_space_id()}_{owner.pk}_{first}"]

    last = fill(owner, 21, seed=2)
    keep_vector_indexes()

    index = index_of(owner.pk, current_space_id())
    assert index is not None
    assert (index.is_binary, index.covered) == (True, last)
    assert names() == [f"vector_nearest_bits_{current_space_id()}_{owner.pk}_{last}"]
    assert index.count_vectors() == 46


def test_a_process_looks_for_indexes_only_now_and_then() -> None:
    owner = make_user()
    make_memory(owner, "tea")
    space_id = current_space_id()
    cached_indexes.invalidate()
    with CaptureQueriesContext(connection) as queries:
        for _ in range(5):
            index_of(owner.pk, space_id)
    assert len(queries) == len(list(corpora()))


def test_building_leaves_the_settings_of_its_connection_as_they_were() -> None:
    fill(make_user(), 25)
    with connection.cursor() as cursor:
        cursor.execute("SHOW maintenance_work_mem")
        before = cursor.fetchone()
        keep_vector_indexes()
        cursor.execute("SHOW maintenance_work_mem")
        assert cursor.fetchone() == before


@pytest.mark.usefixtures("empty_queue")
@pytest.mark.parametrize(
    ("vectors", "machine_gb", "elsewhere", "expected"),
    [
        (1_000, 24, False, "65536"),
        (100_000, 24, False, "148242"),
        (10_000_000, 24, False, "3145728"),
        (10_000_000, 2, False, "524288"),
        (10_000_000, 24, True, "524288"),
    ],
)
def test_a_build_takes_the_memory_that_the_index_needs_and_the_machine_can_spare(
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    *,
    vectors: int,
    machine_gb: int,
    elsewhere: bool,
    expected: str,
) -> None:
    settings.DATABASE_URL = "postgresql://db.example/ownsona" if elsewhere else ""
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=machine_gb << 30))
    with CaptureQueriesContext(connection) as queries:
        VectorIndex(current_space_id(), make_user().pk, 1).build(384, vectors)

    limits = [query["sql"] for query in queries if "maintenance_work_mem = " in query["sql"]]
    assert [limit.split(" = ")[1] for limit in limits] == [expected]


def test_a_bulk_load_has_the_index_built_soon() -> None:
    owner = make_user()
    fill(owner, MANY_MEMORIES - 1)
    assert queued() == []

    fill(owner, MANY_MEMORIES, seed=2)
    fill(owner, MANY_MEMORIES, seed=3)

    assert queued() == [KEEP_INDEXES]
    keep_indexes()
    assert len(names()) == 1


def queued() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT task_name FROM procrastinate_jobs WHERE status = 'todo'")
        return [name for (name,) in cursor.fetchall()]


@pytest.mark.parametrize("dimensions", [384, 1_536, 4_000])
def test_fewer_vectors_are_compared_one_by_one_the_longer_they_are(
    dimensions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    assert hnsw.max_unindexed_vectors(dimensions) * dimensions * 2 <= hnsw.MAX_UNINDEXED_BYTES
    assert hnsw.max_unindexed_vectors(dimensions) > 0.99 * hnsw.MAX_UNINDEXED_BYTES / (2 * dimensions) - 1


def test_long_vectors_stay_in_their_rows() -> None:
    owner = make_user()
    memory = make_memory(owner, "A long vector")
    space = EmbeddingSpace.objects.create(provider="fake", model="long", dimensions=3_072)
    vector = np.random.default_rng(1).standard_normal(3_072).astype(np.float16)
    MemoryVector.objects.create(owner=owner, memory=memory, space=space, window=0, embedding=vector)
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltoastrelid FROM pg_class WHERE oid = 'memories_memoryvector'::regclass")
        cursor.execute("SELECT pg_relation_size(%s::oid::regclass)", cursor.fetchone())
        assert cursor.fetchone() == (0,)
