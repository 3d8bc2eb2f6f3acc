"""Tests of deleting old vectors when they are no longer needed, also during writes."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from benchmarks.support.sample_texts import memory_texts
from memories.corpus import MEMORIES
from memories.database import Row, fetch_rows
from memories.embeddings.fake import FakeEmbedder
from memories.errors import EmbeddingError
from memories.models import EmbeddingSpace, Memory, MemoryVector
from memories.vectors import hnsw, reembedding, spaces
from memories.vectors.indexing import pending_memories
from memories.vectors.reembedding import delete_other_spaces, fill, move_to, switch_to
from memories.vectors.spaces import cached_space, open_space, put_in_use, space_in_use
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.memories.vectors.spaces.two_spaces import dimensions_in, found_by_meaning, wider
from tests.support.concurrency import in_threads
from tests.support.factories import actor_for, make_memory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]


def wait_for_somebody_waiting() -> None:
    """Wait until another connection waits for a row that this transaction has locked."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))")
            if cursor.fetchone():
                return
        time.sleep(0.01)
    raise AssertionError("nobody waits")


def test_old_spaces_are_forgotten_with_their_indexes(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "MAX_UNINDEXED_BYTES", 10 * 2 * 64)
    monkeypatch.setattr(reembedding, "SWITCH_SETTLED_SECONDS", 0.0)
    monkeypatch.setattr(reembedding, "DELETE_BATCH_SIZE", 7)
    old, new = space_in_use(), wider()
    fill(new, lambda count: None)
    switch_to(new)
    assert {index.space_id for index in hnsw._catalog()} == {old.pk, new.pk}
    being_filled = open_space(FakeEmbedder(128).space, "")

    assert delete_other_spaces() == {"fake: hashed-words (64)": 20}

    assert not MemoryVector.objects.filter(space_id=old.pk).exists()
    assert list(EmbeddingSpace.objects.order_by("pk").values_list("pk", flat=True)) == [new.pk, being_filled.pk]
    assert {index.space_id for index in hnsw._catalog()} == {new.pk}
    assert found_by_meaning(owner, memory_texts(20)[3])[1] == 1.0
    for index in hnsw._catalog():
        index.drop()


def test_a_space_is_forgotten_only_when_every_process_has_noticed(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("memories.vectors.reembedding.time.sleep", waited.append)
    new = wider()
    switch_to(new)
    delete_other_spaces()
    EmbeddingSpace.objects.filter(pk=new.pk).update(in_use_since=timezone.now() - timedelta(minutes=1))
    delete_other_spaces()
    EmbeddingSpace.objects.filter(pk=new.pk).update(in_use_since=timezone.now() + timedelta(days=365))
    delete_other_spaces()
    assert 2 * spaces.SPACE_CACHE_SECONDS - 5 < waited[0] <= 2 * spaces.SPACE_CACHE_SECONDS
    assert waited[1] == 0
    assert waited[2] == 2 * spaces.SPACE_CACHE_SECONDS


def test_a_space_that_somebody_fills_is_not_forgotten(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembedding, "SWITCH_SETTLED_SECONDS", 0.0)
    filled_elsewhere, new = open_space(FakeEmbedder(128).space, ""), wider()
    switch_to(new)
    forgotten: list[dict[str, int]] = []

    def forget_elsewhere(count: int) -> None:
        if not forgotten:
            forgotten.extend(in_threads(1, lambda number: delete_other_spaces()))

    assert move_to(filled_elsewhere, forget_elsewhere) == 0
    assert forgotten == [{"fake: hashed-words (64)": 20}]
    assert dimensions_in(space_in_use()) == {128}
    assert delete_other_spaces() == {"fake: hashed-words (96)": 0}


def test_a_space_that_is_gone_can_be_neither_filled_nor_put_in_use(owner: User) -> None:
    old, new = space_in_use(), wider()
    EmbeddingSpace.objects.get(pk=new.pk).delete()
    with pytest.raises(EmbeddingError, match=r"hashed-words \(96\) were deleted in the meantime"):
        put_in_use(new)
    with pytest.raises(EmbeddingError, match="were deleted in the meantime"):
        move_to(new, lambda count: None)
    cached_space.invalidate()
    assert space_in_use() == old


def test_writes_whose_space_is_forgotten_meanwhile_leave_their_vectors_pending(owner: User) -> None:
    known = Memory.objects.filter(owner=owner).earliest("pk")
    behind, new = wider(), space_in_use()
    EmbeddingSpace.objects.get(pk=behind.pk).delete()
    cached_space._known = behind, float("inf")

    late = make_memory(owner, "The ferry leaves at nine")
    changed = update_memory(actor_for(owner), known.pk, MemoryUpdate(text="It rains in Bergen"))

    assert changed.changed_fields == ["text", "last_confirmed_at"]
    assert list(pending_memories(new)) == [Memory.objects.get(pk=known.pk), late]


def test_a_space_is_forgotten_with_what_somebody_is_storing_in_it(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembedding, "SWITCH_SETTLED_SECONDS", 0.0)
    old, new = space_in_use(), wider()
    move_to(new, lambda count: None)
    cached_space._known = old, float("inf")
    is_stored, is_emptied = threading.Event(), threading.Event()

    def tell(sql: str, parameters: dict[str, object]) -> list[Row]:
        rows = fetch_rows(sql, parameters)
        if sql == MEMORIES.in_sql(reembedding._DELETE_SOME) and not rows:
            is_emptied.set()
            assert is_stored.wait(20)
        return rows

    monkeypatch.setattr("memories.vectors.reembedding.fetch_rows", tell)

    def forget_or_write(number: int) -> None:
        if number == 0:
            assert delete_other_spaces() == {"fake: hashed-words (64)": 20}
            return
        assert is_emptied.wait(20)
        with transaction.atomic():
            make_memory(owner, "The ferry leaves at nine")
            is_stored.set()
            wait_for_somebody_waiting()

    in_threads(2, forget_or_write)
    cached_space.invalidate()
    assert [memory.text for memory in pending_memories()] == ["The ferry leaves at nine"]
    assert not EmbeddingSpace.objects.filter(pk=old.pk).exists()
