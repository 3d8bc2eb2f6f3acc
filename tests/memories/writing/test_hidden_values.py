"""Secrets that an owner keeps: placeholders in texts, encrypted values, and what happens to both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memories.access import Actor, View
from memories.cleanup.actions import ProposedChange
from memories.cleanup.plans import propose_plan
from memories.drafts import Draft
from memories.errors import NotConfigured, SecretRejected
from memories.models import CleanupLine, CleanupPlan, HiddenValue, JournalEntry, Memory, MemoryVector, SecretSettings
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.validation.secrets.kinds import Kind
from memories.writing.deduplication import DedupPolicy
from memories.writing.hidden_values import all_secrets_refused, decrypted, keep_kinds, kept_kinds
from memories.writing.lifecycle import forget_memory, hard_delete_memory, restore_memory
from memories.writing.merging import merge_memories, split_memory
from memories.writing.remembering import RememberOutcome, RememberRequest, remember, remember_all
from memories.writing.succession import succeed_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import make_user, owner_actor

ALARM = "The alarm code at home is 4711"
HIDDEN = "The alarm code at home is [hidden: code #1]"


@pytest.fixture
def owner(db: None) -> User:
    """An owner who keeps alarm codes."""
    user = make_user()
    keep_kinds(user.pk, [Kind.LOCK_CODE])
    return user


def app(owner: User, *tags: str) -> Actor:
    return Actor(View(owner.pk, tags), "cursor")


def store(actor: Actor, text: str, policy: DedupPolicy = DedupPolicy.INSERT, *tags: str) -> RememberOutcome:
    return remember(actor, RememberRequest(Draft(text, tags), policy))


def text_of(memory_id: int) -> str:
    return Memory.objects.get(pk=memory_id).text


def values_of(memory_id: int) -> list[str]:
    return [decrypted(row) for row in HiddenValue.objects.filter(memory_id=memory_id).order_by("number")]


@pytest.mark.django_db
def test_secrets_are_refused_unless_the_owner_chooses_otherwise() -> None:
    user = make_user()
    assert kept_kinds(user.pk) == frozenset()
    for text in (ALARM, "Meine PIN lautet 8823.", "le mot de passe du wifi est hunter2"):
        with pytest.raises(SecretRejected):
            store(app(user), text)
    assert not Memory.objects.exists()
    assert not HiddenValue.objects.exists()


def test_a_kept_value_is_replaced_in_the_text_and_stored_encrypted(owner: User) -> None:
    outcome = store(app(owner), ALARM)
    assert text_of(outcome.memory_id) == HIDDEN
    assert values_of(outcome.memory_id) == ["4711"]
    (row,) = HiddenValue.objects.all()
    assert (row.kind, row.owner_id) == ("LOCK_CODE", owner.pk)
    assert "4711" not in row.encrypted_value
    assert [(kept.kind, kept.number) for kept in outcome.kept] == [(Kind.LOCK_CODE, 1)]
    assert "4711" not in repr(outcome)


def test_only_the_chosen_kinds_are_kept(owner: User) -> None:
    with pytest.raises(SecretRejected, match="a PIN"):
        store(app(owner), "Meine PIN lautet 8823.")
    with pytest.raises(SecretRejected, match="a password"):
        store(app(owner), f"{ALARM}. The Wi-Fi password is Tulip#94.")
    for never in ("The alarm code is 4711, the card 4111 1111 1111 1111", f"{ALARM} and sk-{'a1' * 12}"):
        with pytest.raises(SecretRejected):
            store(app(owner), never)
    assert not Memory.objects.exists()


def test_the_choice_of_one_owner_is_not_that_of_another(owner: User) -> None:
    other = make_user()
    with pytest.raises(SecretRejected):
        store(app(other), ALARM)
    keep_kinds(other.pk, [Kind.LOCK_CODE])
    memory_id = store(app(other), ALARM).memory_id
    # Numbers are those of the owner, so that they tell nothing of others.
    assert text_of(store(app(owner), ALARM).memory_id) == text_of(memory_id) == HIDDEN
    assert kept_kinds(owner.pk) == kept_kinds(other.pk) == {Kind.LOCK_CODE}
    keep_kinds(other.pk, [])
    assert kept_kinds(owner.pk) == {Kind.LOCK_CODE}


def test_several_values_in_a_text_are_hidden_wherever_they_occur(owner: User) -> None:
    memory_id = store(app(owner), "The alarm code is 4711, that of the garage 9921#. Say it: 47-11!").memory_id
    assert text_of(memory_id) == (
        "The alarm code is [hidden: code #1], that of the garage [hidden: code #2]. Say it: [hidden: code #1]!"
    )
    assert values_of(memory_id) == ["4711", "9921#"]


def test_a_value_in_another_field_is_refused(owner: User) -> None:
    for draft in (Draft(ALARM, tags=("code-4711",)), Draft(ALARM, session_id="4711"), Draft(ALARM, agent="x4711")):
        with pytest.raises(SecretRejected):
            remember(app(owner), RememberRequest(draft))
    memory_id = store(app(owner), "I like tea").memory_id
    with pytest.raises(SecretRejected):
        update_memory(app(owner), memory_id, MemoryUpdate(text=ALARM, tags=["4711"]))
    assert not HiddenValue.objects.exists()


def test_an_app_cannot_find_out_whether_two_values_are_equal(owner: User) -> None:
    known = store(app(owner), ALARM, DedupPolicy.ASK)
    guesses = [
        store(app(owner), f"The alarm code at home is {code}", DedupPolicy.SKIP_IF_NEAR) for code in (4711, 4712)
    ]
    assert [guess.is_duplicate for guess in guesses] == [False, False]
    near = [[memory.pk for memory, _ in guess.neighbours.active] for guess in guesses]
    assert near[0] == [pk for pk in near[1] if pk != guesses[0].memory_id]
    first, second = (
        update_memory(app(owner), known.memory_id, MemoryUpdate(text=f"The alarm code at home is {code}"), dry_run=True)
        for code in (4711, 4712)
    )
    assert first.changed_fields == second.changed_fields


def test_one_call_stores_equal_texts_once(owner: User) -> None:
    requests = [RememberRequest(Draft(ALARM), DedupPolicy.INSERT)] * 2
    first, second = remember_all(app(owner), requests)
    assert isinstance(first, RememberOutcome)
    assert isinstance(second, RememberOutcome)
    assert (first.memory_id, second.is_duplicate) == (second.memory_id, True)


def test_the_owner_does_not_store_the_same_twice(owner: User) -> None:
    me = owner_actor(owner)
    first, again, other = (store(me, text) for text in (ALARM, ALARM, ALARM.replace("4711", "4712")))
    assert (again.memory_id, again.is_duplicate) == (first.memory_id, True)
    assert (other.is_duplicate, values_of(other.memory_id)) == (False, ["4712"])


def test_an_update_hides_a_new_value_and_keeps_the_old_one_for_undoing(owner: User) -> None:
    memory_id = store(app(owner), ALARM).memory_id
    change = app(owner)
    outcome = update_memory(change, memory_id, MemoryUpdate(text="The alarm code at home is 0815 now"))
    assert text_of(memory_id) == "The alarm code at home is [hidden: code #2] now"
    assert [kept.value for kept in outcome.kept] == ["0815"]
    assert values_of(memory_id) == ["4711", "0815"]
    undo(owner_actor(owner), Selection(change_set=change.change_set))
    assert text_of(memory_id) == HIDDEN
    assert values_of(memory_id) == ["4711", "0815"]


def test_a_dry_run_stores_no_value(owner: User) -> None:
    memory_id = store(app(owner), "I like tea").memory_id
    update_memory(app(owner), memory_id, MemoryUpdate(text=ALARM), dry_run=True)
    assert not HiddenValue.objects.exists()
    assert SecretSettings.objects.get(owner=owner).last_number == 0


def test_an_app_can_neither_delete_nor_change_a_value(owner: User) -> None:
    memory_id = store(app(owner), ALARM).memory_id
    update_memory(app(owner), memory_id, MemoryUpdate(text="The alarm code is on the fridge"))
    assert values_of(memory_id) == ["4711"]
    update_memory(app(owner), memory_id, MemoryUpdate(text="The alarm code is [hidden: code #1], says the neighbour"))
    assert values_of(memory_id) == ["4711"]


def test_a_placeholder_that_an_app_writes_has_no_value(owner: User) -> None:
    store(app(owner), ALARM)
    forged = store(app(owner), "My note: [hidden: code #1]").memory_id
    assert values_of(forged) == []


def test_the_owner_who_removes_a_placeholder_deletes_the_value(owner: User) -> None:
    memory_id = store(app(owner), ALARM).memory_id
    update_memory(owner_actor(owner), memory_id, MemoryUpdate(text=f"{HIDDEN}, says Jo", tags=["home"]))
    assert values_of(memory_id) == ["4711"]
    update_memory(owner_actor(owner), memory_id, MemoryUpdate(text="There is an alarm at home"))
    assert values_of(memory_id) == []


def test_a_forgotten_memory_keeps_its_value_and_a_deleted_one_does_not(owner: User) -> None:
    me = owner_actor(owner)
    memory_id = store(app(owner), ALARM).memory_id
    forget_memory(app(owner), memory_id)
    assert values_of(memory_id) == ["4711"]
    restore_memory(me, memory_id)
    hard_delete_memory(me, memory_id)
    assert not HiddenValue.objects.exists()


def test_merging_and_splitting_bring_the_values_along(owner: User) -> None:
    first, second = store(app(owner), ALARM).memory_id, store(app(owner), "The code of the garage is 9921#").memory_id
    text = "The alarm code is [hidden: code #1], that of the garage [hidden: code #2]"
    (merged,) = merge_memories(app(owner), [first, second], text).new_ids
    assert (text_of(merged), values_of(merged)) == (text, ["4711", "9921#"])
    parts = split_memory(app(owner), merged, ["Alarm: [hidden: code #1]", "Garage: [hidden: code #2]"]).new_ids
    assert [values_of(part) for part in parts] == [["4711"], ["9921#"]]
    # A hard deletion of one copy removes that copy.
    hard_delete_memory(owner_actor(owner), first)
    assert values_of(parts[0]) == ["4711"]


def test_merging_does_not_bring_the_value_of_a_third_memory(owner: User) -> None:
    store(app(owner), ALARM)
    ids = [store(app(owner), text).memory_id for text in ("I like tea", "I like green tea")]
    (merged,) = merge_memories(app(owner), ids, "I like green tea and [hidden: code #1]").new_ids
    assert values_of(merged) == []


def test_a_successor_has_the_values_of_its_placeholders(owner: User) -> None:
    memory_id = store(app(owner), ALARM).memory_id
    now = Memory.objects.get(pk=memory_id).created_at
    new = succeed_memory(app(owner), memory_id, MemoryUpdate(text=f"{HIDDEN} and at work 9921"), now)
    assert new.new_id is not None
    assert values_of(new.new_id) == ["4711", "9921"]
    assert values_of(memory_id) == ["4711"]
    by_hand = store(app(owner), f"{HIDDEN}, and Jo knows it").memory_id
    forget_memory(app(owner), memory_id, replaced_by_id=by_hand)
    assert values_of(by_hand) == ["4711"]


def test_changing_back_to_refuse_leaves_what_is_stored(owner: User) -> None:
    memory_id = store(app(owner), ALARM).memory_id
    keep_kinds(owner.pk, [])
    with pytest.raises(SecretRejected):
        store(app(owner), "The code of the garage is 9921#")
    assert values_of(memory_id) == ["4711"]
    keep_kinds(owner.pk, [Kind.LOCK_CODE])
    assert text_of(store(app(owner), "The code of the garage is 9921#").memory_id).endswith("[hidden: code #2]")


def test_where_arguments_are_recorded_every_secret_is_refused(owner: User) -> None:
    with all_secrets_refused(), pytest.raises(SecretRejected):
        store(app(owner), ALARM)
    memory_id = store(app(owner), "There is an alarm").memory_id
    with pytest.raises(SecretRejected):
        propose_plan(app(owner), [ProposedChange(CleanupLine.Action.CORRECT, [memory_id], text=ALARM)])
    assert not CleanupPlan.objects.exists()
    assert not HiddenValue.objects.exists()


def test_a_value_that_was_moved_in_the_database_is_not_shown(owner: User) -> None:
    row = HiddenValue.objects.get(memory_id=store(app(owner), ALARM).memory_id)
    row.number = 2
    with pytest.raises(NotConfigured):
        decrypted(row)
    row.number, row.owner_id = 1, make_user().pk
    with pytest.raises(NotConfigured):
        decrypted(row)


def test_journal_and_vectors_know_the_placeholder_only(owner: User) -> None:
    memory_id = store(app(owner), ALARM).memory_id
    (entry,) = JournalEntry.objects.filter(memory_id=memory_id)
    assert entry.after["text"] == HIDDEN
    same = store(app(make_user()), HIDDEN).memory_id
    vectors = [MemoryVector.objects.get(memory_id=pk).embedding for pk in (memory_id, same)]
    assert vectors[0] == vectors[1]


def test_two_step_edits_of_one_text_reuse_the_owners_number(owner: User) -> None:
    me = owner_actor(owner)
    memory_id = store(me, ALARM).memory_id
    outcome = update_memory(me, memory_id, replace(MemoryUpdate(), text=ALARM))
    assert (outcome.changed_fields, values_of(memory_id)) == ([], ["4711"])
