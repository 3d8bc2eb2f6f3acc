"""Tests of quarantined inferences: only the owner sees them until they are accepted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memories.access import Actor, View
from memories.drafts import Draft
from memories.errors import InvalidInput, NotFound, SecretRejected
from memories.events.changes import ChangeKind
from memories.events.replay import changes_since
from memories.models import JournalEntry, Memory, MemoryVector
from memories.queries.selectors import get_memory
from memories.recall.pipeline import Mode, Query, recall
from memories.transfer.entries import Entry
from memories.transfer.exporting import exported_memories
from memories.transfer.importer import ImportRun
from memories.transfer.records import owner_record_of
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import confirm_memory, forget_memory, hard_delete_memory, restore_memory
from memories.writing.quarantine import accept_memories, decide_all_from, inbox, reject_memories
from memories.writing.remembering import RememberOutcome, RememberRequest, remember, remember_all
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.concurrency import in_threads
from tests.support.factories import actor_for, infer, make_expired, make_memory, make_user, owner_actor, quarantined

INFERRED = Memory.CaptureMode.INFERRED
TEA = "Robin drinks green tea in the morning"
MEETING = "We meet the whole team at the office every single Monday morning"


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def waiting(user: User) -> list[int]:
    return [memory.pk for memory in inbox(View.whole(user.pk))]


def in_force(user: User) -> list[int]:
    return list(Memory.objects.visible_to(View.whole(user.pk)).active().order_by("pk").values_list("pk", flat=True))


# --- Quarantined memories


def test_only_what_a_quarantined_app_inferred_waits(owner: User) -> None:
    held = infer(quarantined(owner), "Robin may like jazz")
    said = remember(quarantined(owner), RememberRequest(Draft("Robin likes jazz")))
    free = infer(actor_for(owner), "Robin likes blues")
    assert [outcome.quarantined for outcome in (held, said, free)] == [True, False, False]
    assert (waiting(owner), in_force(owner)) == ([held.memory_id], [said.memory_id, free.memory_id])


def test_the_vector_is_there_before_the_decision(owner: User) -> None:
    outcome = infer(quarantined(owner), TEA)
    assert outcome.indexed
    assert MemoryVector.objects.filter(memory=outcome.memory_id).count() == 1


@pytest.mark.parametrize("mode", Mode)
def test_what_waits_is_not_recalled_until_it_is_accepted(owner: User, mode: Mode) -> None:
    outcome = infer(quarantined(owner), TEA)
    for query in (Query(TEA, mode=mode), Query(TEA, mode=mode, since=timezone.now() - timedelta(days=1))):
        assert recall(View.whole(owner.pk), query).matches == []
    accept_memories(owner_actor(owner), [outcome.memory_id])
    assert [match.memory.pk for match in recall(View.whole(owner.pk), Query(TEA, mode=mode)).matches] == [
        outcome.memory_id
    ]


def test_the_same_inference_again_is_the_same_memory_and_still_waits(owner: User) -> None:
    first, again = infer(quarantined(owner), TEA), infer(quarantined(owner), f" {TEA.upper()}")
    assert (again.memory_id, again.is_duplicate, again.quarantined, again.indexed) == (
        first.memory_id,
        True,
        True,
        True,
    )


def test_what_has_expired_while_it_waited_holds_again_when_it_is_inferred_again(owner: User) -> None:
    held = infer(quarantined(owner), TEA)
    memory = make_expired(Memory.objects.get(pk=held.memory_id))
    in_a_day = timezone.now() + timedelta(days=1)
    assert infer(quarantined(owner), TEA, expires_at=in_a_day).memory_id == held.memory_id
    memory.refresh_from_db()
    assert (memory.expires_at, waiting(owner), in_force(owner)) == (in_a_day, [held.memory_id], [])
    accept_memories(owner_actor(owner), [held.memory_id])
    assert in_force(owner) == [held.memory_id]


def test_two_apps_that_infer_the_same_know_nothing_of_each_other(owner: User) -> None:
    first, second = infer(quarantined(owner), TEA), infer(quarantined(owner, client="other"), TEA)
    assert (second.is_duplicate, second.quarantined) == (False, True)
    assert waiting(owner) == [second.memory_id, first.memory_id]


def test_what_is_remembered_already_does_not_wait(owner: User) -> None:
    known = make_memory(owner, TEA)
    outcome = infer(quarantined(owner), TEA)
    assert (outcome.memory_id, outcome.is_duplicate, outcome.quarantined) == (known.pk, True, False)
    assert waiting(owner) == []


def test_an_inference_does_not_put_an_expired_memory_in_force_again(owner: User) -> None:
    expired = make_expired(make_memory(owner, TEA))
    outcome = infer(quarantined(owner), TEA)
    assert (outcome.is_duplicate, outcome.quarantined) == (False, True)
    expired.refresh_from_db()
    assert expired.expires_at is not None
    assert waiting(owner) == [outcome.memory_id]


def test_an_inference_does_not_bring_a_memory_into_the_view_of_a_limited_app(owner: User) -> None:
    hidden = make_memory(owner, TEA, tags=("work",))
    outcome = infer(quarantined(owner, "home"), TEA)
    assert (outcome.is_duplicate, outcome.quarantined) == (False, True)
    hidden.refresh_from_db()
    assert hidden.tags == ["work"]


def test_an_app_whose_tags_were_changed_meanwhile_is_answered_by_what_waits(owner: User) -> None:
    first = infer(quarantined(owner, "work"), TEA)
    again = infer(quarantined(owner, "home"), TEA)
    assert (again.memory_id, again.is_duplicate, again.quarantined) == (first.memory_id, True, True)


def test_in_a_batch_what_is_said_outright_wins_over_the_same_inferred(owner: User) -> None:
    requests = [RememberRequest(Draft(TEA, capture_mode=INFERRED)), RememberRequest(Draft(TEA))]
    outcomes = [
        outcome for outcome in remember_all(quarantined(owner), requests) if isinstance(outcome, RememberOutcome)
    ]
    assert [outcome.quarantined for outcome in outcomes] == [False, False]
    assert [outcome.is_duplicate for outcome in outcomes] == [True, False]
    assert (waiting(owner), in_force(owner)) == ([], [outcomes[0].memory_id])


def test_what_waits_answers_for_no_near_duplicate_and_is_none(owner: User) -> None:
    inferred = RememberRequest(Draft(MEETING, capture_mode=INFERRED), DedupPolicy.INSERT)
    near = RememberRequest(Draft(f"{MEETING} now"), DedupPolicy.SKIP_IF_NEAR)
    first, second = remember_all(quarantined(owner), [inferred, near])
    later = remember(actor_for(owner), RememberRequest(Draft(f"{MEETING} again")))
    assert isinstance(first, RememberOutcome)
    assert isinstance(second, RememberOutcome)
    assert (second.is_duplicate, second.neighbours.active) == (False, [])
    assert [memory.pk for memory, _ in later.neighbours.active] == [second.memory_id]


@pytest.mark.django_db(transaction=True)
def test_of_equal_inferences_at_once_one_waits() -> None:
    user = make_user()
    outcomes = in_threads(8, lambda number: infer(quarantined(user), TEA))
    assert len({outcome.memory_id for outcome in outcomes}) == 1
    assert all(outcome.quarantined for outcome in outcomes)
    assert sum(not outcome.is_duplicate for outcome in outcomes) == 1


# --- Access


def test_the_app_that_inferred_it_may_correct_confirm_and_take_it_back(owner: User) -> None:
    actor = quarantined(owner)
    memory_id = infer(actor, TEA).memory_id
    update_memory(actor, memory_id, MemoryUpdate(text="Robin drinks black tea", importance=0.2))
    confirm_memory(actor, memory_id)
    assert waiting(owner) == [memory_id]
    forget_memory(actor, memory_id)
    assert (waiting(owner), in_force(owner)) == ([], [])


def test_what_was_taken_back_is_shown_to_the_owner_alone_and_waits_again_when_restored(owner: User) -> None:
    actor = quarantined(owner)
    memory_id = infer(actor, TEA).memory_id
    forget_memory(actor, memory_id)
    with pytest.raises(NotFound):
        get_memory(View.whole(owner.pk), memory_id)
    assert remember(actor_for(owner), RememberRequest(Draft(f"{TEA} now"))).neighbours.forgotten == []
    restore_memory(owner_actor(owner), memory_id)
    assert waiting(owner) == [memory_id]


def test_what_was_taken_back_is_not_restored_beside_the_same_inference(owner: User) -> None:
    actor = quarantined(owner)
    memory_id = infer(actor, TEA).memory_id
    forget_memory(actor, memory_id)
    infer(actor, TEA)
    with pytest.raises(InvalidInput, match="already has this text"):
        restore_memory(owner_actor(owner), memory_id)


def test_to_every_other_app_it_does_not_exist(owner: User) -> None:
    memory_id = infer(quarantined(owner), TEA).memory_id
    other = quarantined(owner, client="other")
    attempts = [
        lambda: get_memory(other.view, memory_id),
        lambda: update_memory(other, memory_id, MemoryUpdate(text="Robin drinks coffee")),
        lambda: confirm_memory(other, memory_id),
        lambda: forget_memory(other, memory_id),
        lambda: hard_delete_memory(other, memory_id),
    ]
    for attempt in attempts:
        with pytest.raises(NotFound, match=f"There is no memory with id {memory_id}"):
            attempt()  # type: ignore[no-untyped-call]
    assert waiting(owner) == [memory_id]


def test_it_replaces_nothing(owner: User) -> None:
    actor = quarantined(owner)
    old, held = make_memory(owner, "Robin drinks coffee"), infer(actor, TEA)
    with pytest.raises(InvalidInput, match="no active memory"):
        forget_memory(actor, old.pk, replaced_by_id=held.memory_id)
    assert in_force(owner) == [old.pk]


def test_what_waits_is_in_the_way_of_no_other_memory(owner: User) -> None:
    infer(quarantined(owner), TEA)
    memory = make_memory(owner, "Robin drinks coffee")
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text=TEA))
    gone = make_memory(owner, MEETING)
    forget_memory(actor_for(owner), gone.pk)
    infer(quarantined(owner), MEETING)
    restore_memory(actor_for(owner), gone.pk)
    assert in_force(owner) == [memory.pk, gone.pk]


# --- Facts that are stated explicitly


def test_what_is_said_outright_is_new_and_ends_the_wait(owner: User) -> None:
    held = [infer(quarantined(owner, client=client), TEA) for client in ("guesser", "other")]
    outcome = remember(actor_for(owner), RememberRequest(Draft(TEA.upper(), tags=("drinks",))))
    assert (outcome.is_duplicate, outcome.quarantined, waiting(owner)) == (False, False, [])
    assert get_memory(View.whole(owner.pk), outcome.memory_id).text == TEA.upper()
    for inference in held:
        entry = JournalEntry.objects.get(memory_id=inference.memory_id, operation="forget")
        assert entry.after["replaced_by_id"] == outcome.memory_id
        assert (entry.client, set(entry.before)) == ("tests", {"deleted_at", "replaced_by_id"})


def test_an_inference_ends_no_wait(owner: User) -> None:
    held = infer(quarantined(owner), TEA)
    make_memory(make_user(), TEA)
    infer(quarantined(owner, client="other"), TEA)
    assert held.memory_id in waiting(owner)


# --- Decisions


def test_what_is_accepted_is_in_force_and_confirmed_now(owner: User) -> None:
    long_ago = timezone.now() - timedelta(days=90)
    held = infer(quarantined(owner), TEA, tags=("drinks",), last_confirmed_at=long_ago)
    assert accept_memories(owner_actor(owner), [held.memory_id]) == 1
    memory = get_memory(View.whole(owner.pk), held.memory_id)
    assert (memory.text, memory.tags, memory.capture_mode) == (TEA, ["drinks"], "inferred")
    assert memory.last_confirmed_at > long_ago + timedelta(days=89)
    entry = JournalEntry.objects.latest("pk")
    assert (entry.operation, entry.client) == ("accept", "admin")
    assert (entry.before["quarantined_from"], entry.after["quarantined_from"]) == ("guesser", None)


def test_accepting_what_is_known_leaves_the_memory_that_says_it(owner: User) -> None:
    held = [infer(quarantined(owner, client=client), TEA).memory_id for client in ("guesser", "other")]
    known = make_memory(owner, "Robin drinks coffee")
    update_memory(actor_for(owner), known.pk, MemoryUpdate(text=TEA))
    assert accept_memories(owner_actor(owner), held) == 2
    assert (in_force(owner), waiting(owner)) == ([known.pk], [])
    replaced = JournalEntry.objects.filter(operation="accept").values_list("after__replaced_by_id", flat=True)
    assert list(replaced) == [known.pk] * 2


def test_accepting_one_of_the_same_text_of_two_apps_ends_the_wait_of_both(owner: User) -> None:
    older, newer = [infer(quarantined(owner, client=client), TEA).memory_id for client in ("guesser", "other")]
    other = infer(quarantined(owner, client="other"), MEETING).memory_id
    assert accept_memories(owner_actor(owner), [newer]) == 1
    assert (in_force(owner), waiting(owner)) == ([newer], [other])
    entry = JournalEntry.objects.get(memory_id=older, operation="accept")
    assert entry.after["replaced_by_id"] == newer


@pytest.mark.django_db(transaction=True)
def test_accepting_each_of_the_same_text_at_once_leaves_one_in_force() -> None:
    user = make_user()
    held = [infer(quarantined(user, client=f"app-{number}"), TEA).memory_id for number in range(4)]
    accepted = in_threads(4, lambda number: accept_memories(owner_actor(user), [held[number]]))
    assert sum(accepted) == 1
    assert (len(in_force(user)), waiting(user)) == (1, [])


def test_of_the_same_text_of_two_apps_the_older_one_is_accepted(owner: User) -> None:
    held = [infer(quarantined(owner, client=client), TEA).memory_id for client in ("guesser", "other")]
    accept_memories(owner_actor(owner), held)
    assert (in_force(owner), waiting(owner)) == ([held[0]], [])


def test_accepting_puts_an_expired_memory_with_the_same_text_in_force_again(owner: User) -> None:
    expired = make_expired(make_memory(owner, TEA))
    held = infer(quarantined(owner), TEA)
    accept_memories(owner_actor(owner), [held.memory_id])
    assert in_force(owner) == [expired.pk]


def test_what_is_rejected_is_a_tombstone_that_tells_who_says_it_again(owner: User) -> None:
    held = infer(quarantined(owner), TEA)
    assert reject_memories(owner_actor(owner), [held.memory_id], " It was a joke. ") == 1
    again = infer(quarantined(owner), f"{TEA} now")
    assert [(memory.pk, memory.forget_reason) for memory, _ in again.neighbours.forgotten] == [
        (held.memory_id, "It was a joke.")
    ]
    assert JournalEntry.objects.filter(operation="reject", memory_id=held.memory_id).count() == 1
    restore_memory(owner_actor(owner), held.memory_id)
    assert in_force(owner) == [held.memory_id]


def test_a_secret_is_no_reason(owner: User) -> None:
    held = infer(quarantined(owner), TEA)
    with pytest.raises(SecretRejected):
        reject_memories(owner_actor(owner), [held.memory_id], "ghp_" + "a1B2" * 9)
    assert waiting(owner) == [held.memory_id]


def test_what_does_not_wait_is_not_decided_about(owner: User) -> None:
    stranger = make_user()
    others = infer(quarantined(stranger), TEA).memory_id
    known = make_memory(owner, TEA).pk
    for decided in (accept_memories, reject_memories):
        assert decided(owner_actor(owner), [others, known, 2**40]) == 0
    assert (waiting(stranger), in_force(owner)) == ([others], [known])


def test_all_from_one_app_is_decided_as_far_as_it_was_seen(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.writing.quarantine.DECISION_BATCH_SIZE", 2)
    seen = [infer(quarantined(owner), f"Guess number {number}").memory_id for number in range(5)]
    later = infer(quarantined(owner), "A later guess").memory_id
    other = infer(quarantined(owner, client="other"), "Another app's guess").memory_id
    assert decide_all_from(owner_actor(owner), "guesser", seen[-1], accept_memories) == 5
    assert (in_force(owner), waiting(owner)) == (seen, [other, later])


@pytest.mark.django_db(transaction=True)
def test_accepting_and_saying_the_same_at_once_leaves_one_memory_in_force() -> None:
    user = make_user()
    for attempt in range(6):
        text = f"Guess number {attempt}"
        held = infer(quarantined(user), text).memory_id

        def work(number: int, text: str = text, held: int = held) -> object:
            if number % 2:
                return remember(actor_for(user), RememberRequest(Draft(text)))
            try:
                return accept_memories(owner_actor(user), [held])
            except InvalidInput:
                return None  # The text was stated explicitly a moment ago. The memory is accepted again below.

        in_threads(4, work)
        accept_memories(owner_actor(user), [held])
    assert (len(in_force(user)), waiting(user)) == (6, [])


# --- Edge cases


def test_a_hard_delete_leaves_nothing_of_it_but_that_it_was_one_in_quarantine(owner: User) -> None:
    held = infer(quarantined(owner), TEA)
    hard_delete_memory(owner_actor(owner), held.memory_id)
    assert not Memory.objects.filter(pk=held.memory_id).exists()
    entry = JournalEntry.objects.get(memory_id=held.memory_id)
    assert (entry.operation, entry.before, entry.after) == ("hard_delete", {"quarantined_from": "guesser"}, {})


def test_a_client_that_was_away_is_told_nothing_of_what_waits(owner: User) -> None:
    view, started_at = View.whole(owner.pk), timezone.now() - timedelta(hours=1)
    ids = [infer(quarantined(owner), f"Guess number {number}").memory_id for number in range(3)]
    forget_memory(quarantined(owner), ids[1])
    hard_delete_memory(owner_actor(owner), ids[2])
    assert changes_since(view, started_at) == []
    accept_memories(owner_actor(owner), ids)
    changes = changes_since(view, started_at)
    assert changes is not None
    assert [(change.memory_id, change.kind(view)) for change in changes] == [(ids[0], ChangeKind.ADDED)]


def test_the_owners_export_has_it_marked_and_an_import_lets_it_wait_again(owner: User) -> None:
    known = make_memory(owner, "Robin drinks coffee")
    held, taken_back = infer(quarantined(owner), TEA).memory_id, infer(quarantined(owner), MEETING).memory_id
    forget_memory(quarantined(owner), taken_back)
    records = [owner_record_of(memory) for memory in exported_memories(View.whole(owner.pk))]
    assert [(record["id"], record.get("quarantined_from")) for record in records] == [
        (known.pk, None),
        (held, "guesser"),
        (taken_back, "guesser"),
    ]
    other = make_user()
    entries = [
        Entry(f"item {number}", {name: str(value) if name.endswith("_at") else value for name, value in record.items()})
        for number, record in enumerate(
            {name: value for name, value in record.items() if value is not None} for record in records
        )
    ]
    for expected in ((3, 0), (0, 3)):
        for dry_run in (True, False):
            run = ImportRun(Actor(View.whole(other.pk), "import", is_owner=True), dry_run=dry_run)
            run.run(entries, lambda place, error: pytest.fail(f"{place}: {error}"))
            assert (run.summary.inserted, run.summary.duplicates) == expected
    assert [memory.text for memory in inbox(View.whole(other.pk))] == [TEA]
    assert len(in_force(other)) == 1
    assert Memory.objects.visible_to(View.whole(other.pk)).forgotten().count() == 0
