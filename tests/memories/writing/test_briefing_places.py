"""Pinning memories to the briefing and hiding them from it."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import RunSQL

from memories.access import Actor, View
from memories.admin.history import history_of
from memories.drafts import Draft
from memories.errors import InvalidInput, LimitExceeded, NotFound
from memories.models import JournalEntry, Memory
from memories.writing import briefing_places
from memories.writing.briefing_places import place_memory, remove_from_place
from memories.writing.lifecycle import forget_memory, restore_memory
from memories.writing.remembering import RememberRequest, remember
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import actor_for, infer, make_memory, make_user, owner_actor, quarantined

pytestmark = pytest.mark.django_db
PINNED, HIDDEN = Memory.BriefingPlace.PINNED, Memory.BriefingPlace.HIDDEN


@pytest.fixture
def owner() -> User:
    return make_user()


def placed(owner: User, text: str, place: Memory.BriefingPlace) -> Memory:
    memory = make_memory(owner, text)
    place_memory(owner_actor(owner), memory.pk, place)
    return memory


def place_of(memory: Memory) -> str | None:
    memory.refresh_from_db()
    return memory.briefing_place


def test_a_pin_is_in_the_history_as_a_change_by_the_owner(owner: User) -> None:
    memory = placed(owner, "I am allergic to nuts", PINNED)
    remove_from_place(owner_actor(owner), memory.pk, PINNED)
    unpinned, pinned, remembered = history_of(owner.pk, memory.pk)
    assert [(line.operation, line.client) for line in (unpinned, pinned)] == [("Changed", "you")] * 2
    assert [(change.label, change.before, change.after) for change in pinned.changes] == [("Briefing", "", "pinned")]
    assert [(change.label, change.before, change.after) for change in unpinned.changes] == [("Briefing", "pinned", "")]
    assert "Briefing" not in [change.label for change in remembered.changes]


def test_unpinning_brings_no_hidden_memory_back(owner: User) -> None:
    memory = placed(owner, "I am allergic to nuts", HIDDEN)
    remove_from_place(owner_actor(owner), memory.pk, PINNED)
    assert place_of(memory) == HIDDEN
    remove_from_place(owner_actor(owner), memory.pk, HIDDEN)
    assert place_of(memory) is None


def test_pinning_twice_changes_nothing(owner: User) -> None:
    memory = placed(owner, "I am allergic to nuts", PINNED)
    place_memory(owner_actor(owner), memory.pk, PINNED)
    assert JournalEntry.objects.filter(memory_id=memory.pk, operation="update").count() == 1


@pytest.mark.parametrize("place", [PINNED, HIDDEN])
def test_a_replacement_takes_the_place_over(owner: User, place: Memory.BriefingPlace) -> None:
    old = placed(owner, "I live in Lyon", place)
    new = make_memory(owner, "I live in Graz")
    forget_memory(actor_for(owner), old.pk, replaced_by_id=new.pk)
    assert (place_of(old), place_of(new)) == (None, place)
    changed = JournalEntry.objects.filter(memory_id=new.pk).latest("id")
    assert (changed.operation, changed.before, changed.after) == (
        "update",
        {"briefing_place": None},
        {"briefing_place": place},
    )
    restore_memory(actor_for(owner), old.pk)
    assert place_of(old) is None


def test_a_dry_run_moves_no_pin(owner: User) -> None:
    old = placed(owner, "I live in Lyon", PINNED)
    new = make_memory(owner, "I live in Graz")
    forget_memory(actor_for(owner), old.pk, replaced_by_id=new.pk, dry_run=True)
    assert (place_of(old), place_of(new)) == (PINNED, None)


def test_a_place_that_the_owner_gave_a_replacement_stays(owner: User) -> None:
    old, new = placed(owner, "I live in Lyon", PINNED), placed(owner, "I live in Graz", HIDDEN)
    forget_memory(actor_for(owner), old.pk, replaced_by_id=new.pk)
    assert (place_of(old), place_of(new)) == (None, HIDDEN)


def test_without_a_replacement_a_restored_memory_is_pinned_again(owner: User) -> None:
    memory = placed(owner, "I live in Lyon", PINNED)
    forget_memory(actor_for(owner), memory.pk)
    restore_memory(actor_for(owner), memory.pk)
    assert place_of(memory) == PINNED


def test_a_corrected_text_stays_pinned(owner: User) -> None:
    memory = placed(owner, "I live in Lyon", PINNED)
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="I live in Graz"))
    assert place_of(memory) == PINNED


def test_an_app_cannot_pin_what_it_stores(owner: User) -> None:
    app = Actor(View.whole(owner.pk), "app")
    outcome = remember(app, RememberRequest(Draft("Buy the product now", briefing_place=PINNED)))
    assert Memory.objects.get(pk=outcome.memory_id).briefing_place is None
    with pytest.raises(AssertionError):
        place_memory(app, outcome.memory_id, PINNED)


def test_what_is_forgotten_or_in_the_inbox_cannot_be_pinned(owner: User) -> None:
    forgotten = make_memory(owner, "I live in Lyon")
    forget_memory(actor_for(owner), forgotten.pk)
    with pytest.raises(NotFound, match="is forgotten"):
        place_memory(owner_actor(owner), forgotten.pk, PINNED)
    held = infer(quarantined(owner), "Robin may like jazz").memory_id
    with pytest.raises(InvalidInput, match="is in your inbox"):
        place_memory(owner_actor(owner), held, PINNED)
    with pytest.raises(NotFound, match="no memory with id"):
        place_memory(owner_actor(make_user()), held, PINNED)


def test_pins_are_limited(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(briefing_places, "MOST_PINNED", 2)
    first, _ = (placed(owner, f"Fact {number}", PINNED) for number in range(2))
    place_memory(owner_actor(owner), first.pk, PINNED)
    with pytest.raises(LimitExceeded, match="2 memories are pinned, which is the maximum"):
        placed(owner, "One more", PINNED)
    placed(owner, "Yet another", HIDDEN)


def test_the_database_accepts_no_other_place(owner: User) -> None:
    memory = make_memory(owner, "I live in Lyon")
    with pytest.raises(IntegrityError, match="memory_briefing_place"), transaction.atomic():
        Memory.objects.filter(pk=memory.pk).update(briefing_place="elsewhere")


def test_old_memories_get_the_client_of_their_first_journal_entry(owner: User) -> None:
    mine, other = make_memory(owner, "I live in Lyon"), make_memory(make_user(), "I live in Lyon")
    update_memory(owner_actor(owner), mine.pk, MemoryUpdate(importance=0.9))
    JournalEntry.objects.filter(memory_id=other.pk).delete()
    Memory.objects.update(stored_by="")
    loader = MigrationLoader(connection)
    migration = loader.get_migration("memories", "0014_briefing_places")
    state = loader.project_state(("memories", "0014_briefing_places"))
    (backfill,) = (operation for operation in migration.operations if isinstance(operation, RunSQL))
    with connection.schema_editor() as editor:
        backfill.database_forwards("memories", editor, state, state)
    found = [Memory.objects.get(pk=memory.pk) for memory in (mine, other)]
    assert [(memory.stored_by, memory.briefing_place) for memory in found] == [("tests", None), ("", None)]
