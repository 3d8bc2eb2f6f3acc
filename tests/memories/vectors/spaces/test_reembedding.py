"""Tests of changing the model: the old one is used until the switch, and vectors of the two are never compared."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from django.db import connection

from benchmarks.support.sample_texts import memory_texts
from memories.embeddings.base import Embedder, Embedding
from memories.embeddings.fake import FakeEmbedder
from memories.errors import EmbeddingError
from memories.models import EmbeddingSpace, Memory, MemoryVector
from memories.vectors import indexing
from memories.vectors.indexing import index_pending_batch, pending_memories
from memories.vectors.reembedding import count_unfinished, fill, switch_to
from memories.vectors.spaces import OpenSpace, cached_space, put_in_use, space_in_use
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.memories.vectors.spaces.two_spaces import dimensions_in, found_by_meaning, wider
from tests.support.concurrency import in_threads
from tests.support.embeddings.embedders import use_windows
from tests.support.factories import actor_for, make_memory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]


def test_the_old_space_answers_until_the_switch_and_the_new_one_from_then_on(owner: User) -> None:
    old, new = space_in_use(), wider()
    text = memory_texts(20)[3]
    told: list[int] = []
    assert fill(new, told.append) == 0
    assert sum(told) == 20
    assert (space_in_use(), found_by_meaning(owner, text)) == (old, (text, 1.0))

    switch_to(new)

    assert space_in_use().space.dimensions == 96
    assert found_by_meaning(owner, text) == (text, 1.0)
    assert (dimensions_in(old), dimensions_in(new)) == ({64}, {96})
    assert EmbeddingSpace.objects.exclude(in_use_since=None).count() == 1


def test_what_is_written_while_a_space_is_filled_is_in_it_too(owner: User) -> None:
    new = wider()
    index_pending_batch(0, new)
    late = make_memory(owner, "The ferry leaves at nine")
    update_memory(
        actor_for(owner), Memory.objects.filter(owner=owner).earliest("pk").pk, MemoryUpdate(text="It rains in Bergen")
    )
    assert pending_memories(new).count() == 2

    fill(new, lambda count: None)
    switch_to(new)

    assert found_by_meaning(owner, late.text) == (late.text, 1.0)
    assert found_by_meaning(owner, "It rains in Bergen") == ("It rains in Bergen", 1.0)


def test_long_memories_whose_windows_have_no_place_are_cut_anew_and_all_others_stay(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_windows(monkeypatch, 100)
    old, new = (make_memory(owner, f"{text} The fence was painted green. " * 9) for text in ("Tea.", "Milk."))
    MemoryVector.objects.filter(memory=old).update(start_char=None, end_char=None)
    space, others = space_in_use(), MemoryVector.objects.exclude(memory=old).order_by("memory_id", "window")
    kept = [tuple(row) for row in others.values_list("memory_id", "window", "start_char")]
    assert count_unfinished(space) == 1

    told: list[int] = []
    assert (fill(space, told.append), told, count_unfinished(space)) == (0, [1], 0)

    places = list(MemoryVector.objects.filter(memory=old).order_by("window").values_list("start_char", "end_char"))
    assert (places[0][0], places[-1][1]) == (0, len(old.text))
    assert len(places) > 2
    assert [tuple(row) for row in others.values_list("memory_id", "window", "start_char")] == kept
    assert new.pk in {memory_id for memory_id, _, start in kept if start}


def test_a_process_that_missed_the_switch_stores_no_vector_in_the_wrong_space(owner: User) -> None:
    behind, new = space_in_use(), wider()
    fill(new, lambda count: None)
    put_in_use(new)
    cached_space._known = behind, float("inf")

    late = make_memory(owner, "The ferry leaves at nine")
    assert set(MemoryVector.objects.filter(memory=late).values_list("space_id", flat=True)) == {behind.pk}

    cached_space.invalidate()
    assert list(pending_memories()) == [late]
    index_pending_batch()
    assert found_by_meaning(owner, late.text) == (late.text, 1.0)


def test_filling_goes_on_where_it_was_stopped(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "PENDING_BATCH", 5)
    new = wider()

    def stop(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill(new, stop)
    assert pending_memories(new).count() == 15

    told: list[int] = []
    assert fill(new, told.append) == 0
    assert sum(told) == 15


def test_several_processes_share_the_work_and_embed_nothing_twice(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "PENDING_BATCH", 3)
    new, guard = wider(), threading.Lock()
    embedded: list[str] = []
    together = threading.Barrier(3)

    class Counting(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> list[Embedding]:
            with guard:
                embedded.extend(texts)
            return super().embed(texts)

    monkeypatch.setattr(OpenSpace, "embedder", property(lambda space: Counting(96)))

    def work(number: int) -> int:
        together.wait(20)
        return fill(new, lambda count: None)

    assert in_threads(3, work) == [0, 0, 0]
    assert len(embedded) == len(set(embedded)) == 20
    assert MemoryVector.objects.filter(space_id=new.pk).count() == 20


def test_a_claim_ends_with_the_work_also_where_that_fails(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    new = wider()

    def fail(space: OpenSpace) -> Embedder:
        raise EmbeddingError("the provider is down")

    with monkeypatch.context() as patched:
        patched.setattr(OpenSpace, "embedder", property(fail))
        with pytest.raises(EmbeddingError):
            fill(new, lambda count: None)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        assert cursor.fetchone() == (0,)
    assert fill(new, lambda count: None) == 0


def test_texts_that_the_provider_refuses_do_not_keep_the_others_from_the_switch(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = make_memory(owner, "a poisonous text")

    class Picky(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> list[Embedding]:
            if any("poisonous" in text for text in texts):
                raise EmbeddingError("refused", status=400)
            return super().embed(texts)

    monkeypatch.setattr(OpenSpace, "embedder", property(lambda space: Picky(96)))
    new = wider()
    assert fill(new, lambda count: None) == 1
    assert list(pending_memories(new)) == [refused]
