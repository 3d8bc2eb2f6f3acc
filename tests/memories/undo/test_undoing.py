"""Tests of undoing changes: what comes back, what goes away, and what is left alone."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from memories.access import Actor, View
from memories.drafts import Draft
from memories.errors import NotFound
from memories.models import JournalEntry, Memory, MemoryVector
from memories.undo.outcomes import Resolution
from memories.undo.reversal import Obstacle
from memories.undo.selection import Selection
from memories.undo.undoing import UndoOutcome, preview, undo
from memories.undo.versions import later_than, versions_of
from memories.writing.briefing_places import place_memory
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import confirm_memory, forget_memory, hard_delete_memory
from memories.writing.quarantine import accept_memories
from memories.writing.remembering import RememberOutcome, RememberRequest, remember, remember_all
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import infer, make_user, owner_actor, quarantined


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def app(owner: User, client: str = "cursor", *tags: str, session: str = "") -> Actor:
    """Return an app as the actor of one call."""
    return Actor(View(owner.pk, tags), client, session_id=session)


def store(actor: Actor, text: str, *tags: str) -> int:
    return remember(actor, RememberRequest(Draft(text, tags), DedupPolicy.INSERT)).memory_id


def of(client: str = "cursor") -> Selection:
    return Selection(clients=[client])


def texts(owner: User) -> list[str]:
    active = Memory.objects.visible_including_quarantined(View.whole(owner.pk)).not_deleted()
    return list(active.order_by("pk").values_list("text", flat=True))


def ids(outcome: UndoOutcome) -> tuple[list[int], list[int], list[int]]:
    """Return the restored, the removed and the conflicting memories."""
    restored, removed, conflicts = (
        [reversal.item_id for reversal in group] for group in (outcome.restored, outcome.removed, outcome.conflicts)
    )
    return restored, removed, conflicts


def test_everything_that_an_app_did_is_undone(owner: User) -> None:
    mine = owner_actor(owner)
    phone, city, dog = (store(mine, text) for text in ("My phone is a Pixel", "I live in Bern", "My dog is Mochi"))
    update_memory(app(owner), phone, MemoryUpdate(text="My phone is a toaster", tags=["kitchen"], importance=0.9))
    update_memory(app(owner), phone, MemoryUpdate(text="My phone is a fridge"))
    forget_memory(app(owner), city, reason="Nonsense")
    nonsense = store(app(owner), "The moon is made of cheese")
    planned = ids(preview(mine, of()))
    assert planned == ([phone, city], [nonsense], [])
    assert ids(undo(mine, of())) == planned
    assert texts(owner) == ["My phone is a Pixel", "I live in Bern", "My dog is Mochi"]
    restored = Memory.objects.get(pk=phone)
    assert (restored.tags, restored.importance) == ([], 0.5)
    assert Memory.objects.get(pk=city).forget_reason is None
    assert Memory.objects.get(pk=dog).updated_at < restored.updated_at


def test_an_undo_is_a_change_set_that_can_be_undone_and_that_again(owner: User) -> None:
    phone = store(owner_actor(owner), "My phone is a Pixel")
    update_memory(app(owner), phone, MemoryUpdate(text="My phone is a toaster"))
    store(app(owner), "The moon is made of cheese")
    done = {True: ["My phone is a toaster", "The moon is made of cheese"], False: ["My phone is a Pixel"]}
    selection = of()
    for round_number in range(4):
        undoing = owner_actor(owner)
        undo(undoing, selection)
        assert texts(owner) == done[round_number % 2 == 1]
        selection = Selection(change_set=undoing.change_set)
    made = list(JournalEntry.objects.filter(client="admin", memory_id=phone).order_by("pk"))
    assert [entry.operation for entry in made] == ["remember", "undo", "redo", "undo", "redo"]


def test_undoing_twice_changes_nothing_the_second_time(owner: User) -> None:
    store(app(owner), "The moon is made of cheese")
    undo(owner_actor(owner), of())
    again = undo(owner_actor(owner), of())
    assert (ids(again), again.unchanged) == (([], [], []), 1)
    assert JournalEntry.objects.filter(operation="undo").count() == 1


def test_what_was_undone_and_redone_can_be_undone_again(owner: User) -> None:
    store(app(owner), "The moon is made of cheese")
    first = owner_actor(owner)
    undo(first, of())
    undo(owner_actor(owner), Selection(change_set=first.change_set))
    assert len(undo(owner_actor(owner), of()).removed) == 1
    assert texts(owner) == []


def test_a_memory_that_was_changed_since_is_a_conflict_and_stays(owner: User) -> None:
    mine = owner_actor(owner)
    phone = store(mine, "My phone is a Pixel")
    update_memory(app(owner), phone, MemoryUpdate(text="My phone is a toaster", importance=0.9))
    update_memory(mine, phone, MemoryUpdate(text="My phone is a Fairphone"))
    outcome = undo(mine, of())
    assert ids(outcome) == ([], [], [phone])
    (conflict,) = outcome.conflicts[0].conflicts
    assert (conflict.name, conflict.now, conflict.earlier) == (
        "text",
        "My phone is a Fairphone",
        "My phone is a Pixel",
    )
    assert Memory.objects.get(pk=phone).importance == 0.9


@pytest.mark.parametrize(
    ("resolution", "expected"),
    [
        (Resolution.KEEP, ["My phone is a Fairphone"]),
        (Resolution.REVERT, ["My phone is a Pixel"]),
        (Resolution.KEEP_BOTH, ["My phone is a Fairphone", "My phone is a Pixel"]),
    ],
)
def test_a_conflict_is_resolved_as_the_owner_says(owner: User, resolution: Resolution, expected: list[str]) -> None:
    mine = owner_actor(owner)
    phone = store(mine, "My phone is a Pixel")
    update_memory(app(owner), phone, MemoryUpdate(text="My phone is a toaster"))
    update_memory(mine, phone, MemoryUpdate(text="My phone is a Fairphone"))
    undo(mine, of(), {phone: resolution})
    assert texts(owner) == expected


def test_changes_of_other_fields_and_confirmations_are_no_conflict(owner: User) -> None:
    mine = owner_actor(owner)
    phone = store(mine, "My phone is a Pixel")
    update_memory(app(owner), phone, MemoryUpdate(text="My phone is a toaster"))
    place_memory(mine, phone, Memory.BriefingPlace.PINNED)
    update_memory(mine, phone, MemoryUpdate(tags=["phone"]))
    confirmed = confirm_memory(app(owner, "claude"), phone)
    assert ids(undo(mine, of())) == ([phone], [], [])
    memory = Memory.objects.get(pk=phone)
    assert (memory.text, memory.briefing_place, memory.tags) == ("My phone is a Pixel", "pinned", ["phone"])
    assert memory.last_confirmed_at == confirmed


def test_an_earlier_change_by_somebody_else_survives(owner: User) -> None:
    mine = owner_actor(owner)
    phone = store(mine, "My phone is a Pixel")
    update_memory(app(owner), phone, MemoryUpdate(text="My phone is a toaster"))
    update_memory(mine, phone, MemoryUpdate(text="My phone is a Fairphone"))
    update_memory(app(owner), phone, MemoryUpdate(text="My phone is a fridge"))
    undo(mine, of())
    assert texts(owner) == ["My phone is a Fairphone"]


def test_what_an_app_stored_and_the_owner_edited_is_kept_unless_told_otherwise(owner: User) -> None:
    mine = owner_actor(owner)
    moon = store(app(owner), "The moon is made of cheese")
    update_memory(mine, moon, MemoryUpdate(text="The moon is made of rock"))
    assert ids(undo(mine, of())) == ([], [], [moon])
    assert texts(owner) == ["The moon is made of rock"]
    assert ids(undo(mine, of(), default=Resolution.REVERT)) == ([], [moon], [])
    assert texts(owner) == []


def test_only_changes_of_the_chosen_time_or_session_are_undone(owner: User) -> None:
    store(app(owner, session="morning"), "I like tea")
    moment = timezone.now()
    store(app(owner, session="evening"), "I like wine")
    JournalEntry.objects.filter(session_id="morning").update(at=moment - timedelta(hours=8))
    assert [reversal.item_id for reversal in preview(owner_actor(owner), Selection(since=moment)).removed] == [
        Memory.objects.get(text="I like wine").pk
    ]
    undo(owner_actor(owner), Selection(session_id="morning"))
    assert texts(owner) == ["I like wine"]


def test_one_change_of_many_is_undone(owner: User) -> None:
    phone = store(app(owner), "My phone is a Pixel")
    store(app(owner), "I like wine")
    entry = JournalEntry.objects.get(memory_id=phone)
    undo(owner_actor(owner), Selection(entry_id=entry.pk))
    assert texts(owner) == ["I like wine"]


def test_a_text_that_somebody_stored_again_is_not_duplicated(owner: User) -> None:
    mine = owner_actor(owner)
    city = store(mine, "I live in Bern")
    forget_memory(app(owner), city)
    again = store(mine, "I live in Bern")
    outcome = undo(mine, of())
    assert [(each.item_id, each.obstacle, each.duplicate_id) for each in outcome.conflicts] == [
        (city, Obstacle.SAME_TEXT, again)
    ]
    assert texts(owner) == ["I live in Bern"]


def test_two_memories_that_would_get_the_same_text_back_become_one(owner: User) -> None:
    mine = owner_actor(owner)
    first = store(mine, "I live in Bern")
    forget_memory(app(owner), first)
    second = store(mine, "I live in Bern")
    forget_memory(app(owner), second)
    assert ids(undo(mine, of())) == ([first], [], [second])
    assert texts(owner) == ["I live in Bern"]


def test_what_goes_away_makes_room_for_what_comes_back(owner: User) -> None:
    mine = owner_actor(owner)
    city = store(mine, "I live in Bern")
    forget_memory(app(owner), city)
    copy = store(app(owner), "I live in Bern")
    assert ids(undo(mine, of())) == ([city], [copy], [])


def test_a_permanently_deleted_memory_stays_deleted(owner: User) -> None:
    mine = owner_actor(owner)
    store(app(owner), "I like wine")
    secret = store(app(owner), "I like gin")
    hard_delete_memory(mine, secret)
    outcome = undo(mine, Selection(since=timezone.now() - timedelta(hours=1)))
    assert outcome.deleted_ids == [secret]
    assert texts(owner) == []


def test_restored_texts_are_embedded_and_found_again(owner: User) -> None:
    phone = store(owner_actor(owner), "My phone is a Pixel")
    update_memory(app(owner), phone, MemoryUpdate(text="My phone is a toaster until 2031-05-01"))
    assert Memory.objects.get(pk=phone).valid_until is not None
    undo(owner_actor(owner), of())
    memory = Memory.objects.get(pk=phone)
    assert (memory.valid_until, MemoryVector.objects.filter(memory=phone).count()) == (None, 0)
    # The exact text is found by its hash.
    assert remember(owner_actor(owner), RememberRequest(Draft("My phone is a Pixel"))).memory_id == phone


def test_a_version_is_restored(owner: User) -> None:
    mine = owner_actor(owner)
    phone = store(mine, "My phone is a Nokia")
    for text in ("My phone is a Pixel", "My phone is a toaster"):
        update_memory(app(owner), phone, MemoryUpdate(text=text))
    forget_memory(app(owner), phone)
    versions = versions_of(mine, phone)
    assert [(version.number, version.state["text"]) for version in versions] == [
        (1, "My phone is a Nokia"),
        (2, "My phone is a Pixel"),
        (3, "My phone is a toaster"),
        (4, "My phone is a toaster"),
    ]
    undo(mine, later_than(mine, phone, 2))
    assert texts(owner) == ["My phone is a Pixel"]
    assert versions_of(mine, phone)[-1].operation == "restore"
    with pytest.raises(NotFound, match="is the current one"):
        later_than(mine, phone, 5)
    with pytest.raises(NotFound, match=r"no version 9\. Its versions: 1, 2, 3, 4, 5"):
        later_than(mine, phone, 9)


# --- Apps


def test_an_app_does_not_undo_what_it_cannot_see(owner: User) -> None:
    mine = owner_actor(owner)
    note = store(app(owner), "The office has no windows", "work")
    store(app(owner), "I like wine", "home")
    limited = app(owner, "claude", "work")
    assert ids(preview(limited, of())) == ([], [note], [])
    with pytest.raises(NotFound, match="no such changes"):
        undo(app(owner, "claude", "garden"), of())
    undo(limited, of())
    assert texts(owner) == ["I like wine"]
    assert mine.owner_id == owner.pk


def test_an_app_does_not_learn_what_a_memory_was_outside_of_its_view(owner: User) -> None:
    note = store(owner_actor(owner), "The office has no windows", "home")
    update_memory(app(owner), note, MemoryUpdate(tags=["work"]))
    update_memory(app(owner), note, MemoryUpdate(text="The office has one window"))
    limited = app(owner, "claude", "work")
    undo(limited, of())
    assert (Memory.objects.get(pk=note).tags, texts(owner)) == (["work"], ["The office has no windows"])
    first = versions_of(limited, note)[0]
    assert (first.number, first.before, first.hides_before) == (1, {}, True)


def test_an_app_does_not_move_a_memory_out_of_its_view(owner: User) -> None:
    note = store(owner_actor(owner), "The office has no windows", "home", "work")
    update_memory(app(owner), note, MemoryUpdate(tags=["work", "garden"]))
    update_memory(app(owner), note, MemoryUpdate(tags=["garden"]))
    outcome = undo(app(owner, "claude", "work", "garden"), of())
    assert ids(outcome) == ([note], [], [])
    update_memory(app(owner), note, MemoryUpdate(tags=["garden"]))
    with pytest.raises(NotFound):
        undo(app(owner, "claude", "garden"), Selection(change_set=JournalEntry.objects.latest("pk").change_set))


def test_an_app_does_not_undo_the_owner_s_decisions(owner: User) -> None:
    mine = owner_actor(owner)
    guess = infer(quarantined(owner), "Robin may like jazz").memory_id
    accept_memories(mine, [guess])
    pinned = store(mine, "My phone is a Pixel")
    place_memory(mine, pinned, Memory.BriefingPlace.PINNED)
    placing = JournalEntry.objects.latest("pk")
    outcome = undo(app(owner), Selection(entry_id=placing.pk))
    assert [(each.item_id, each.obstacle) for each in outcome.conflicts] == [(pinned, Obstacle.OWNERS_DECISION)]
    with pytest.raises(NotFound):
        undo(app(owner), Selection(memory_id=guess, clients=["admin"]))
    assert Memory.objects.get(pk=guess).quarantined_from is None


def test_one_owner_does_not_undo_the_changes_of_another(owner: User) -> None:
    stranger = owner_actor(make_user())
    store(app(owner), "I like wine")
    entry = JournalEntry.objects.get()
    for selection in (of(), Selection(change_set=entry.change_set), Selection(entry_id=entry.pk)):
        with pytest.raises(NotFound):
            undo(stranger, selection)
    assert texts(owner) == ["I like wine"]


def test_nothing_selected_is_an_error(owner: User) -> None:
    with pytest.raises(NotFound, match="no such changes"):
        preview(owner_actor(owner), Selection(change_set=uuid4()))


def test_a_large_undo_needs_few_queries(owner: User, django_assert_max_num_queries: object) -> None:
    drafts = [RememberRequest(Draft(f"Fact number {number}"), DedupPolicy.INSERT) for number in range(200)]
    outcomes = remember_all(app(owner), drafts)
    assert all(isinstance(outcome, RememberOutcome) for outcome in outcomes)
    with django_assert_max_num_queries(10):  # type: ignore[operator]  # a fixture of pytest-django
        assert len(undo(owner_actor(owner), of()).removed) == 200
