"""Tests of remember, update, confirm and forget, one by one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.models import JournalEntry, Memory, MemoryVector
from oauthserver.models import User
from tests.support.factories import Assistant, make_expired, make_memory, make_user

BASE_FIELDS = {
    "id", "text", "tags", "importance", "source_provider", "capture_mode", "session_id", "created_at", "updated_at",
    "last_confirmed_at", "expires_at",
}  # fmt: skip


def test_a_fact_is_stored_as_it_was_given(assistant: Assistant, owner: User) -> None:
    payload = assistant.call(
        "remember",
        text="  My dog   is called Mochi. ",
        tags=["Pets", "Coding", "pets"],
        importance=0.9,
        capture_mode="inferred",
        source_provider="Claude",
        session_id="talk-1",
        expires_at="2099-05-17T14:00:00+02:00",
    )
    assert list(payload) == ["ok", "memory_id", "message", "tag_changes"]
    assert payload["message"] == "Ok"
    memory = assistant.call("get_memory", id=payload["memory_id"])["memory"]
    assert set(memory) == BASE_FIELDS
    assert memory["text"] == "My dog is called Mochi."
    assert memory["tags"] == ["pets", "software"]
    assert (memory["importance"], memory["capture_mode"]) == (0.9, "inferred")
    assert (memory["source_provider"], memory["session_id"]) == ("Claude", "talk-1")
    assert memory["expires_at"] == "2099-05-17T12:00:00Z"
    assert memory["created_at"].endswith("Z")
    assert Memory.objects.get(pk=payload["memory_id"]).owner == owner


def test_the_same_words_are_the_same_memory(assistant: Assistant) -> None:
    first = assistant.call("remember", text="My dog is called Mochi.")
    again = assistant.call("remember", text="my  DOG is called mochi.")
    assert again == {"ok": True, "memory_id": first["memory_id"], "message": "Already remembered"}
    assert Memory.objects.count() == 1


def test_a_fact_that_announces_a_change_comes_back_with_what_it_may_make_untrue(
    assistant: Assistant, owner: User
) -> None:
    old = make_memory(owner, "We drive a grey Skoda Octavia estate")
    make_expired(make_memory(owner, "The Skoda Octavia is at the garage until Friday"))
    payload = assistant.call("remember", text="We sold the grey Skoda Octavia estate to a colleague")
    assert [memory["id"] for memory in payload["possibly_outdated"]] == [old.pk]
    assert payload["possibly_outdated"][0]["text"] == old.text

    assistant.call("forget", id=old.pk, replaced_by_id=payload["memory_id"])
    old.refresh_from_db()
    assert old.replaced_by_id == payload["memory_id"]


def test_an_expired_duplicate_is_revived(assistant: Assistant, owner: User) -> None:
    memory = make_expired(make_memory(owner, "The pool is open."))
    payload = assistant.call("remember", text="The pool is open.", expires_at="2099-01-01T00:00:00Z")
    assert (payload["memory_id"], payload["message"]) == (memory.pk, "Already remembered")
    memory.refresh_from_db()
    assert memory.expires_at is not None
    assert memory.expires_at.year == 2099
    assert JournalEntry.objects.filter(memory_id=memory.pk, operation="revive").count() == 1


def test_a_near_duplicate_is_stored_and_reported(assistant: Assistant, owner: User) -> None:
    near = make_memory(owner, "We meet the whole team at the office every single Monday morning")
    payload = assistant.call("remember", text="We meet the whole team at the office every single Monday morning now")
    assert payload["memory_id"] != near.pk
    assert [memory["id"] for memory in payload["near_duplicates"]] == [near.pk]
    assert 0.9 <= payload["near_duplicates"][0]["score"] <= 1


def test_skip_if_near_answers_with_the_near_one(assistant: Assistant, owner: User) -> None:
    near = make_memory(owner, "We meet the whole team at the office every single Monday morning")
    payload = assistant.call(
        "remember",
        text="We meet the whole team at the office every single Monday morning now",
        dedup_policy="skip_if_near",
    )
    assert payload == {"ok": True, "memory_id": near.pk, "message": "Already remembered"}
    assert Memory.objects.count() == 1


def test_insert_does_not_look_for_near_ones(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "We meet the whole team at the office every single Monday morning")
    payload = assistant.call(
        "remember", text="We meet the whole team at the office every single Monday morning now", dedup_policy="insert"
    )
    assert "near_duplicates" not in payload
    assert Memory.objects.count() == 2


def test_what_was_corrected_before_is_reported_and_no_veto(assistant: Assistant, owner: User) -> None:
    wrong = make_memory(owner, "The meeting with the whole team is every single Monday morning")
    assistant.call("forget", id=wrong.pk, reason="it is on Tuesdays")
    payload = assistant.call("remember", text="The meeting with the whole team is every single Monday morning")
    assert payload["message"] == "Ok"
    (tombstone,) = payload["previously_corrected"]
    assert tombstone["id"] == wrong.pk
    assert tombstone["forget_reason"] == "it is on Tuesdays"
    assert tombstone["deleted_at"].endswith("Z")


def test_an_update_changes_what_it_names_and_indexes_a_new_text(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I live in Paris", tags=("home",))
    before = MemoryVector.objects.get(memory=memory).embedding
    payload = assistant.call("update_memory", id=memory.pk, text="I live in Lyon", tags=["work"])
    assert payload == {
        "ok": True, "memory_id": memory.pk, "dry_run": False, "message": "Ok",
        "changed_fields": ["text", "tags", "last_confirmed_at"],
    }  # fmt: skip
    memory.refresh_from_db()
    assert (memory.text, memory.tags) == ("I live in Lyon", ["work"])
    assert memory.updated_at > memory.created_at
    assert MemoryVector.objects.get(memory=memory).embedding != before
    assert assistant.call("recall", query="lyon", mode="keyword")["matches"][0]["id"] == memory.pk


def test_a_new_text_counts_as_confirmed_now(assistant: Assistant, owner: User) -> None:
    long_ago = timezone.now() - timedelta(days=90)
    memory = make_memory(owner, "I live in Paris", last_confirmed_at=long_ago)
    make_memory(owner, "I live in Lisbon", last_confirmed_at=timezone.now() - timedelta(days=1))
    started_at = timezone.now()
    new_text = {"id": memory.pk, "text": "I moved to Porto in November"}

    dry = assistant.call("update_memory", **new_text, dry_run=True)
    assert dry["changed_fields"] == ["text", "last_confirmed_at"]
    memory.refresh_from_db()
    assert memory.last_confirmed_at == long_ago

    assert assistant.call("update_memory", **new_text)["changed_fields"] == ["text", "last_confirmed_at"]
    memory.refresh_from_db()
    assert memory.last_confirmed_at >= started_at
    line = JournalEntry.objects.filter(memory_id=memory.pk).latest("pk")
    assert set(line.after) == set(line.before) == {"text", "last_confirmed_at"}
    matches = assistant.call("recall", query="where do I live, moved to", mode="keyword")["matches"]
    assert max(matches, key=lambda match: str(match["last_confirmed_at"]))["id"] == memory.pk


def test_a_new_text_with_a_date_of_its_own_keeps_that_date(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I live in Paris")
    payload = assistant.call(
        "update_memory", id=memory.pk, text="I live in Lyon", last_confirmed_at="2020-01-01T00:00:00Z"
    )
    assert payload["changed_fields"] == ["text", "last_confirmed_at"]
    memory.refresh_from_db()
    assert memory.last_confirmed_at.isoformat() == "2020-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("text", "changed"),
    [("  I like   tea ", []), ("I like tea", []), ("I LIKE tea", ["text"]), ("I like\ntea", ["text"])],
)
def test_a_text_that_says_the_same_confirms_nothing(
    assistant: Assistant, owner: User, text: str, changed: list[str]
) -> None:
    long_ago = timezone.now() - timedelta(days=90)
    memory = make_memory(owner, "I like tea", last_confirmed_at=long_ago)
    assert assistant.call("update_memory", id=memory.pk, text=text)["changed_fields"] == changed
    memory.refresh_from_db()
    assert memory.last_confirmed_at == long_ago


def test_other_changes_confirm_nothing(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I like tea")
    payload = assistant.call("update_memory", id=memory.pk, tags=["drinks"], importance=1)
    assert payload["changed_fields"] == ["tags", "importance"]


def test_a_dry_update_changes_nothing(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I live in Paris")
    payload = assistant.call("update_memory", id=memory.pk, importance=1, dry_run=True)
    assert (payload["changed_fields"], payload["message"]) == (["importance"], "Would update")
    memory.refresh_from_db()
    assert memory.importance == 0.5
    assert not JournalEntry.objects.filter(operation="update").exists()


def test_an_expiry_is_set_and_taken_away(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I am on holiday")
    assistant.call("update_memory", id=memory.pk, expires_at="2099-01-01T00:00:00Z")
    assert assistant.call("update_memory", id=memory.pk, importance=0.7, expires_at=None)["ok"]
    memory.refresh_from_db()
    assert memory.expires_at is not None
    assert assistant.call("update_memory", id=memory.pk, expires_at="never")["changed_fields"] == ["expires_at"]
    memory.refresh_from_db()
    assert memory.expires_at is None


def test_an_expired_memory_can_be_written_back_as_it_is(assistant: Assistant, owner: User) -> None:
    memory = make_expired(make_memory(owner, "I am on holiday"))
    shown = assistant.call("get_memory", id=memory.pk)["memory"]["expires_at"]
    payload = assistant.call("update_memory", id=memory.pk, text="I was on holiday", expires_at=shown)
    assert payload["changed_fields"] == ["text", "last_confirmed_at"]


def test_an_update_needs_a_field_a_live_memory_and_a_text_of_its_own(assistant: Assistant, owner: User) -> None:
    memory, other = make_memory(owner, "I live in Paris"), make_memory(owner, "I live in Lyon")
    assert assistant.error_of("update_memory", id=memory.pk)["code"] == "INVALID_INPUT"
    error = assistant.error_of("update_memory", id=memory.pk, text="i live in LYON")
    assert error["code"] == "INVALID_INPUT"
    assert str(other.pk) in error["message"]
    assistant.call("forget", id=memory.pk)
    assert assistant.error_of("update_memory", id=memory.pk, importance=1)["code"] == "NOT_FOUND"


def test_confirming_moves_the_time(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I like tea", last_confirmed_at=timezone.now() - timedelta(days=90))
    payload = assistant.call("confirm", id=memory.pk)
    assert payload["message"] == "Confirmed"
    assert payload["last_confirmed_at"].endswith("Z")
    previous = memory.last_confirmed_at
    memory.refresh_from_db()
    assert memory.last_confirmed_at > previous


def test_forgetting_leaves_a_tombstone(assistant: Assistant, owner: User) -> None:
    old, new = make_memory(owner, "I drive a Fiat"), make_memory(owner, "I sold the car")
    dry = assistant.call("forget", id=old.pk, dry_run=True)
    assert (dry["already_deleted"], dry["message"]) == (False, "Would soft-delete")
    payload = assistant.call("forget", id=old.pk, reason="sold", replaced_by_id=new.pk)
    assert payload == {
        "ok": True, "memory_id": old.pk, "dry_run": False, "already_deleted": False, "message": "Forgotten",
    }  # fmt: skip
    tombstone = assistant.call("get_memory", id=old.pk)["memory"]
    assert (tombstone["forget_reason"], tombstone["replaced_by_id"]) == ("sold", new.pk)
    assert assistant.call("recall", query="Fiat", mode="keyword")["matches"] == []
    dry = assistant.call("forget", id=old.pk, reason="sold it", dry_run=True)
    assert (dry["already_deleted"], dry["message"]) == (True, "Would update tombstone (already soft-deleted)")


def test_a_hard_delete_removes_every_trace(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "My secret diary is under the bed")
    assert assistant.call("forget", id=memory.pk, hard_delete=True, dry_run=True)["message"] == "Would hard-delete"
    assert assistant.call("forget", id=memory.pk, hard_delete=True)["message"] == "Hard deleted"
    assert assistant.error_of("get_memory", id=memory.pk)["code"] == "NOT_FOUND"
    assert not MemoryVector.objects.filter(memory_id=memory.pk).exists()
    (line,) = JournalEntry.objects.filter(memory_id=memory.pk)
    assert (line.operation, line.before, line.after) == ("hard_delete", {}, {})
    assert make_memory(owner, "My secret diary is under the bed").pk > memory.pk


@pytest.mark.parametrize("argument", [{"reason": "old"}, {"replaced_by_id": 1}])
def test_a_hard_delete_keeps_no_reason(assistant: Assistant, owner: User, argument: dict[str, Any]) -> None:
    memory = make_memory(owner, "I like tea")
    error = assistant.error_of("forget", id=memory.pk, hard_delete=True, **argument)
    assert error["code"] == "INVALID_INPUT"
    assert next(iter(argument)) in error["message"]
    assert Memory.objects.filter(pk=memory.pk, deleted_at=None).exists()


def test_a_successor_must_be_another_memory_in_force_of_the_same_owner(assistant: Assistant, owner: User) -> None:
    memory, foreign = make_memory(owner, "I like tea"), make_memory(make_user(), "I like coffee")
    for successor in (memory.pk, foreign.pk, 2**62):
        error = assistant.error_of("forget", id=memory.pk, replaced_by_id=successor)
        assert (error["code"], "replaced_by_id" in error["message"]) == ("INVALID_INPUT", True)


def test_nobody_changes_another_ones_memory(owner: User) -> None:
    memory = make_memory(owner, "I like tea")
    stranger = Assistant.of(make_user())
    for tool, arguments in (
        ("get_memory", {}),
        ("update_memory", {"text": "I hate tea"}),
        ("confirm", {}),
        ("forget", {}),
        ("forget", {"hard_delete": True}),
    ):
        assert stranger.error_of(tool, id=memory.pk, **arguments)["code"] == "NOT_FOUND", tool
    memory.refresh_from_db()
    assert (memory.text, memory.deleted_at) == ("I like tea", None)


def test_each_change_leaves_a_line_with_who_made_it(assistant: Assistant) -> None:
    memory_id = assistant.call("remember", text="I like tea")["memory_id"]
    assistant.call("update_memory", id=memory_id, text="I like green tea")
    assistant.call("confirm", id=memory_id)
    assistant.call("forget", id=memory_id, reason="no more")
    lines = list(JournalEntry.objects.filter(memory_id=memory_id).order_by("pk"))
    assert [line.operation for line in lines] == ["remember", "update", "confirm", "forget"]
    assert lines[0].after["text"] == "I like tea"
    assert (lines[1].before["text"], lines[1].after["text"]) == ("I like tea", "I like green tea")
    assert set(lines[1].after) == {"text", "last_confirmed_at"}
    assert set(lines[3].after) == {"deleted_at", "forget_reason"}
    assert len({line.change_set for line in lines}) == 4
    assert all(line.client for line in lines)


def test_an_answer_says_which_tags_are_stored_otherwise(assistant: Assistant, owner: User) -> None:
    tags = ["books", "Home Life", "x", "§", "", "books", "Author"]
    changes = [
        {"given": "books", "stored": "publishing"},
        {"given": "x", "stored": None},
        {"given": "§", "stored": None},
        {"given": "Author", "stored": "publishing"},
    ]
    payload = assistant.call("remember", text="The novel is on the shelf", tags=tags)
    assert (payload["message"], payload["tag_changes"]) == ("Ok", changes)
    assert Memory.objects.get(pk=payload["memory_id"]).tags == ["publishing", "home-life"]

    batch = assistant.call(
        "remember_batch", items=[{"text": "A poem", "tags": tags}, {"text": "A song", "tags": ["art"]}]
    )
    assert [result.get("tag_changes") for result in batch["results"]] == [changes, None]

    change = {"id": payload["memory_id"], "tags": ["kin", "family"]}
    told = [{"given": "kin", "stored": "family"}]
    assert assistant.call("update_memory", **change, dry_run=True)["tag_changes"] == told
    assert assistant.call("update_memory_batch", items=[change])["results"][0]["tag_changes"] == told
    assert "tag_changes" not in assistant.call("update_memory", id=payload["memory_id"], tags=["family"])


def test_what_was_known_keeps_its_tags_and_nothing_is_said_of_others(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "The novel is on the shelf", tags=("home",))
    payload = assistant.call("remember", text="The novel is on the shelf", tags=["books"])
    assert payload["message"] == "Already remembered"
    assert "tag_changes" not in payload


def test_a_long_tag_that_is_dropped_is_cut_in_the_answer(assistant: Assistant) -> None:
    payload = assistant.call("remember", text="The novel is on the shelf", tags=["§" * 5000, "-" * 100 + "home"])
    assert payload["tag_changes"] == [{"given": "§" * 64, "stored": None}]
