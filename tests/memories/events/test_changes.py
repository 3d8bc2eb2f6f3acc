"""Tests of the notifications of changes, by every kind of actor."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from memories.access import View
from memories.drafts import Draft
from memories.events.changes import CHANNEL, Change, ChangeKind
from memories.models import Memory
from memories.transfer.tombstone_import import Tombstone, import_tombstones
from memories.writing.lifecycle import confirm_memory, forget_memory, hard_delete_memory, restore_memory
from memories.writing.quarantine import accept_memories, reject_memories
from memories.writing.remembering import RememberRequest, remember, remember_all
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import actor_for, infer, make_expired, make_memory, make_user, owner_actor, quarantined
from tests.support.notifications import Heard, listening

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def heard() -> Iterator[Heard]:
    with listening(CHANNEL) as payloads:
        yield payloads


@pytest.fixture
def owner() -> User:
    return make_user()


def kinds(payloads: list[str], view: View) -> list[tuple[int, ChangeKind | None]]:
    return [(change.memory_id, change.kind(view)) for change in map(Change.read, payloads)]


def test_whoever_listens_hears_what_becomes_of_a_memory(heard: Heard, owner: User) -> None:
    actor, view = actor_for(owner), View.whole(owner.pk)
    memory_id = remember(actor, RememberRequest(Draft("My dog is called Mochi"))).memory_id
    assert kinds(heard(), view) == [(memory_id, ChangeKind.ADDED)]
    for change, expected in (
        (lambda: update_memory(actor, memory_id, MemoryUpdate(importance=0.9)), ChangeKind.UPDATED),
        (lambda: confirm_memory(actor, memory_id), ChangeKind.UPDATED),
        (lambda: forget_memory(actor, memory_id), ChangeKind.REMOVED),
        (lambda: restore_memory(actor, memory_id), ChangeKind.ADDED),
        (lambda: hard_delete_memory(actor, memory_id), ChangeKind.REMOVED),
    ):
        change()
        assert kinds(heard(), view) == [(memory_id, expected)]


def test_a_batch_is_told_one_by_one(heard: Heard, owner: User) -> None:
    remember_all(actor_for(owner), [RememberRequest(Draft(f"Fact number {number}")) for number in range(3)])
    ids = Memory.objects.visible_to(View.whole(owner.pk)).order_by("pk").values_list("pk", flat=True)
    assert sorted(kinds(heard(), View.whole(owner.pk))) == [(memory_id, ChangeKind.ADDED) for memory_id in ids]


def test_nothing_is_heard_of_what_is_rolled_back_or_only_rehearsed(heard: Heard, owner: User) -> None:
    memory = make_memory(owner, "My dog is called Mochi")
    assert len(heard()) == 1
    with transaction.atomic():
        forget_memory(actor_for(owner), memory.pk)
        transaction.set_rollback(True)
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(importance=0.1), dry_run=True)
    assert heard() == []


def test_a_tombstone_is_out_of_sight(heard: Heard, owner: User) -> None:
    import_tombstones(actor_for(owner), [Tombstone(Draft("I live in Lyon"), timezone.now())])
    forget_memory(actor_for(owner), Memory.objects.get().pk, reason="moved")
    hard_delete_memory(actor_for(owner), Memory.objects.get().pk)
    assert heard() == []


def test_an_expired_memory_that_is_said_again_appears(heard: Heard, owner: User) -> None:
    memory = make_memory(owner, "The office is closed", expires_at=timezone.now() + timedelta(days=1))
    heard()
    make_expired(memory)
    assert kinds(heard(), View.whole(owner.pk)) == [(memory.pk, ChangeKind.REMOVED)]
    remember(actor_for(owner), RememberRequest(Draft("The office is closed")))
    assert kinds(heard(), View.whole(owner.pk)) == [(memory.pk, ChangeKind.ADDED)]


def test_a_payload_names_the_user_and_the_memory_and_none_of_its_words(heard: Heard, owner: User) -> None:
    memory = make_memory(owner, "My dog is called Mochi", tags=("pets",))
    (payload,) = heard()
    assert "Mochi" not in payload
    assert "pets" not in payload
    change = Change.read(payload)
    assert (change.owner_id, change.memory_id, change.before) == (owner.pk, memory.pk, None)


def test_a_payload_fits_however_many_tags_there_are(heard: Heard, owner: User) -> None:
    many = [f"{number:02}{'道' * 62}" for number in range(50)]
    memory = make_memory(owner, "My dog is called Mochi", tags=tuple(many))
    heard()
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(tags=[tag[::-1] for tag in many]))
    assert [change for _, change in kinds(heard(), View(owner.pk, (many[7],)))] == [ChangeKind.REMOVED]


def test_a_view_of_some_tags_sees_memories_come_and_go_with_their_tags(heard: Heard, owner: User) -> None:
    pets = View(owner.pk, ("animals", "pets"))
    memory = make_memory(owner, "My dog is called Mochi", tags=("family",))
    assert kinds(heard(), pets) == [(memory.pk, None)]
    for tags, expected in (
        (["pets"], ChangeKind.ADDED),
        (["animals"], ChangeKind.UPDATED),
        (["family"], ChangeKind.REMOVED),
    ):
        update_memory(actor_for(owner), memory.pk, MemoryUpdate(tags=tags))
        assert kinds(heard(), pets) == [(memory.pk, expected)]


def test_nothing_is_heard_of_what_waits_until_it_is_accepted(heard: Heard, owner: User) -> None:
    actor, view = quarantined(owner), View.whole(owner.pk)
    ids = [infer(actor, f"Guess number {number}").memory_id for number in range(4)]
    update_memory(actor, ids[0], MemoryUpdate(importance=0.9))
    forget_memory(actor, ids[1])
    reject_memories(owner_actor(owner), [ids[2]])
    hard_delete_memory(owner_actor(owner), ids[3])
    assert heard() == []
    accept_memories(owner_actor(owner), ids)
    assert kinds(heard(), view) == [(ids[0], ChangeKind.ADDED)]


def test_nobody_hears_of_another_persons_memories(heard: Heard, owner: User) -> None:
    make_memory(owner, "My dog is called Mochi")
    (payload,) = heard()
    assert Change.read(payload).kind(View.whole(make_user().pk)) is None
