"""Tests of which changes count as undone."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from memories.access import Actor
from memories.models import JournalEntry, Memory
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.undo.undone import CHECKED, undone_sets, with_undone
from memories.writing.lifecycle import confirm_memory, forget_memory
from memories.writing.merging import merge_memories
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db

Change = Callable[[Actor], object]


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def memory(owner: User) -> Memory:
    return make_memory(owner, "The cat is called Mimi.")


def change(owner: User, *changes: Change) -> UUID:
    """Make the changes as one change set, and return its id."""
    actor = owner_actor(owner)
    for each in changes:
        each(actor)
    return actor.change_set


def undo_set(owner: User, change_set: UUID) -> UUID:
    return change(owner, lambda actor: undo(actor, Selection(change_set=change_set)))


def rename(memory: Memory, name: str) -> Change:
    return lambda actor: update_memory(actor, memory.pk, MemoryUpdate(text=f"The cat is called {name}."))


def undone_by_id(change_set: UUID) -> dict[int, bool]:
    """Return of each change of a set whether it counts as undone."""
    return {
        entry.pk: vars(entry)["is_undone"] for entry in with_undone(JournalEntry.objects.filter(change_set=change_set))
    }


def is_undone(owner: User, change_set: UUID) -> bool:
    (found,) = set(undone_by_id(change_set).values())
    assert undone_sets(owner.pk, [change_set]) == ({change_set} if found else set())
    return found


@pytest.mark.parametrize("kind", ["rename", "confirm", "forget", "merge"])
def test_a_change_is_undone_until_that_is_undone(owner: User, memory: Memory, kind: str) -> None:
    other = make_memory(owner, "The dog is called Rex.")
    changes: dict[str, Change] = {
        "rename": rename(memory, "Momo"),
        "confirm": lambda actor: confirm_memory(actor, memory.pk),
        "forget": lambda actor: forget_memory(actor, memory.pk),
        "merge": lambda actor: merge_memories(actor, [memory.pk, other.pk], "The cat is Mimi, the dog is Rex."),
    }
    changed = change(owner, changes[kind])
    assert not is_undone(owner, changed)
    undoing = undo_set(owner, changed)
    assert is_undone(owner, changed)
    undo_set(owner, undoing)
    assert not is_undone(owner, changed)
    assert is_undone(owner, undoing)


def test_what_added_a_memory_is_undone_when_it_is_forgotten_again(owner: User, memory: Memory) -> None:
    added = JournalEntry.objects.get(memory_id=memory.pk).change_set
    forgotten = change(owner, lambda actor: forget_memory(actor, memory.pk))
    assert not is_undone(owner, added)
    undo_set(owner, forgotten)
    undo_set(owner, added)
    assert is_undone(owner, added)


def test_undoing_a_later_change_leaves_an_earlier_one(owner: User, memory: Memory) -> None:
    first, second, third = (change(owner, rename(memory, name)) for name in ("Momo", "Nori", "Yuki"))
    undo_set(owner, third)
    assert [is_undone(owner, each) for each in (first, second, third)] == [False, False, True]
    undo_set(owner, second)
    assert [is_undone(owner, each) for each in (first, second, third)] == [False, True, True]


def test_several_changes_of_one_memory_are_undone_at_once(owner: User, memory: Memory) -> None:
    both = change(owner, rename(memory, "Momo"), rename(memory, "Nori"))
    undo_set(owner, both)
    assert is_undone(owner, both)


def test_a_set_is_undone_only_as_a_whole(owner: User, memory: Memory) -> None:
    other = make_memory(owner, "The dog is called Rex.")
    both = change(owner, *(lambda actor, pk=each.pk: forget_memory(actor, pk) for each in (memory, other)))
    entry = JournalEntry.objects.get(change_set=both, memory_id=memory.pk)
    change(owner, lambda actor: undo(actor, Selection(entry_id=entry.pk)))
    assert undone_sets(owner.pk, [both]) == set()
    assert [pk for pk, is_undone in undone_by_id(both).items() if is_undone] == [entry.pk]


def test_of_a_large_set_the_first_and_the_last_changes_are_checked(owner: User) -> None:
    memories = [make_memory(owner, f"Number {number}.") for number in range(2 * CHECKED + 2)]
    forgotten = change(owner, *(lambda actor, pk=each.pk: forget_memory(actor, pk) for each in memories))
    undo_set(owner, forgotten)
    assert undone_sets(owner.pk, [forgotten]) == {forgotten}
    JournalEntry.objects.filter(operation=JournalEntry.Operation.UNDO, memory_id=memories[-1].pk).delete()
    assert undone_sets(owner.pk, [forgotten]) == set()


def test_another_owner_changes_nothing(owner: User, memory: Memory) -> None:
    changed = change(owner, rename(memory, "Momo"))
    undo_set(owner, changed)
    stranger = make_user("stranger")
    assert undone_sets(stranger.pk, [changed]) == set()
    assert undone_sets(owner.pk, []) == set()
