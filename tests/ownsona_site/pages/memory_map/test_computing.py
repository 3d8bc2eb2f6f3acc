"""Tests of the computation of maps in the background."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memories.errors import EmbeddingError
from memories.map.layout import lay_out
from memories.models import EmbeddingSpace, Memory, MemoryMap, MemoryVector
from memories.tasks import index_pending
from memories.writing.lifecycle import forget_memory, hard_delete_memory
from oauthserver.models import User
from ownsona_site.pages.memory_map import computing
from ownsona_site.pages.memory_map.computing import compute, compute_soon, is_due
from tests.documents.support import make_document
from tests.support.concurrency import in_threads
from tests.support.factories import infer, make_expired, make_memory, make_user, owner_actor, quarantined


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def stored(owner: User) -> MemoryMap:
    return MemoryMap.objects.get(owner=owner)


def test_a_map_has_the_active_memories_of_its_owner(owner: User) -> None:
    shown = [make_memory(owner, f"tea number {number}").pk for number in range(6)]
    forget_memory(owner_actor(owner), make_memory(owner, "forgotten").pk)
    make_expired(make_memory(owner, "expired"))
    infer(quarantined(owner), "in the inbox")
    make_memory(make_user(), "of another owner")
    compute(owner.pk)
    row = stored(owner)
    assert row.memory_ids == shown
    assert len(row.xs) == len(row.ys) == len(row.groups) == 6
    assert row.finished_at
    assert row.computed_at


def test_without_memories_the_map_is_empty(owner: User) -> None:
    compute(owner.pk)
    assert stored(owner).memory_ids == []
    assert stored(owner).computed_at


def test_pinned_and_important_memories_come_first(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "MAX_POINTS", 3)
    pinned = make_memory(owner, "pinned", importance=0.1)
    Memory.objects.filter(pk=pinned.pk).update(briefing_place=Memory.BriefingPlace.PINNED)
    important = make_memory(owner, "important", importance=0.9)
    make_memory(owner, "old", importance=0.5, created_at=timezone.now() - timedelta(days=9))
    new = make_memory(owner, "new", importance=0.5)
    compute(owner.pk)
    assert stored(owner).memory_ids == [pinned.pk, important.pk, new.pk]


def test_a_memory_without_a_vector_of_the_space_in_use_is_left_out(owner: User) -> None:
    memories = [make_memory(owner, f"tea number {number}") for number in range(3)]
    other = EmbeddingSpace.objects.create(provider="fake", model="other", dimensions=4)
    MemoryVector.objects.filter(memory=memories[0]).delete()
    MemoryVector.objects.create(owner=owner, memory=memories[0], space=other, window=0, embedding=[1, 0, 0, 0])
    compute(owner.pk)
    assert stored(owner).memory_ids == [memory.pk for memory in memories[1:]]


def test_without_an_embedding_space_the_earlier_map_stays(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make_memory(owner, "tea")
    compute(owner.pk)

    def fail() -> int:
        raise EmbeddingError("There is no model.")

    monkeypatch.setattr(computing, "current_space_id", fail)
    compute(owner.pk)
    assert stored(owner).memory_ids == [memory.pk]
    assert stored(owner).problem == "There is no model."
    assert stored(owner).finished_at


def test_memories_deleted_during_a_computation_do_no_harm(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    memories = [make_memory(owner, f"tea number {number}") for number in range(3)]

    def delete_then_lay_out(*given: object) -> object:
        hard_delete_memory(owner_actor(owner), memories[0].pk)
        return lay_out(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(computing, "lay_out", delete_then_lay_out)
    compute(owner.pk)
    assert len(stored(owner).memory_ids) == 3


@pytest.mark.django_db(transaction=True)
def test_two_computations_at_once_leave_one_map() -> None:
    owner = make_user()
    for number in range(20):
        make_memory(owner, f"tea number {number}")
    in_threads(2, lambda _: compute(owner.pk))
    assert len(stored(owner).memory_ids) == 20


def test_a_killed_computation_is_repeated(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    make_memory(owner, "tea")

    def be_killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(computing, "lay_out", be_killed)
        with pytest.raises(KeyboardInterrupt):
            compute(owner.pk)
    assert stored(owner).finished_at is None
    compute(owner.pk)
    assert len(stored(owner).memory_ids) == 1


def test_a_map_is_due_if_it_is_missing_old_or_of_another_space(owner: User) -> None:
    assert is_due(None, 0)
    make_memory(owner, "tea")
    compute_soon(owner.pk)
    assert not is_due(stored(owner), 1)
    compute(owner.pk)
    row = stored(owner)
    assert is_due(row, 1)
    row.xs = [0] * 5
    assert not is_due(row, 1)
    row.computed_at = timezone.now() - timedelta(days=2)
    assert is_due(row, 1)
    assert not is_due(row, 0)
    row.computed_at, row.space_id = timezone.now(), None
    assert is_due(row, 0)


def test_documents_are_points(owner: User) -> None:
    document = make_document(owner)
    index_pending()
    make_memory(owner, "tea")
    compute(owner.pk)
    assert stored(owner).document_ids == [document.pk]
