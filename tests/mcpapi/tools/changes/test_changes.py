"""Tests of the tools that show and undo changes."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from memories.access import View
from memories.models import Memory
from memories.writing.quarantine import inbox
from oauthserver.models import User
from tests.support.factories import Assistant, infer, make_app, make_memory, quarantined


@pytest.fixture
def cursor(owner: User) -> Assistant:
    """Return a second app, called Cursor."""
    return Assistant.of(owner, app=make_app("Cursor"))


def active(owner: User) -> list[str]:
    return list(Memory.objects.visible_to(View.whole(owner.pk)).active().order_by("pk").values_list("text", flat=True))


def test_what_one_app_did_is_listed_and_reverted_exactly(assistant: Assistant, cursor: Assistant, owner: User) -> None:
    phone = assistant.call("remember", text="My phone is a Pixel")["memory_id"]
    dog = assistant.call("remember", text="My dog is called Mochi")["memory_id"]
    cursor.call("remember_batch", items=[{"text": "The moon is made of cheese"}, {"text": "Bears can fly"}])
    cursor.call("update_memory", id=phone, text="My phone is a toaster")
    cursor.call("forget", id=dog, reason="who knows")
    listed = assistant.call("list_changes", app="cursor")["change_sets"]
    assert [(each["app"], each["count"], each["changes"][0]["operation"]) for each in listed] == [
        ("Cursor", 1, "forget"),
        ("Cursor", 1, "update"),
        ("Cursor", 2, "remember"),
    ]
    assert listed[1]["changes"][0]["before"]["text"] == "My phone is a Pixel"
    since = (timezone.now() - timedelta(hours=1)).isoformat()
    planned = assistant.call("undo", app="Cursor", since=since, dry_run=True)
    assert planned["message"] == "Would be: 2 restored, 2 removed."
    assert len(active(owner)) == 3
    done = assistant.call("undo", app="Cursor", since=since)
    assert (done["restored"], done["conflicts"]) == ([phone, dog], [])
    assert active(owner) == ["My phone is a Pixel", "My dog is called Mochi"]
    # An undo can be undone.
    assert assistant.call("undo", change_set=done["change_set"])["message"] == "Done: 3 restored, 1 removed."
    assert active(owner) == ["My phone is a toaster", "The moon is made of cheese", "Bears can fly"]


def test_a_conflict_shows_both_values_and_is_resolved_on_request(assistant: Assistant, cursor: Assistant) -> None:
    phone = assistant.call("remember", text="My phone is a Pixel")["memory_id"]
    cursor.call("update_memory", id=phone, text="My phone is a toaster", expires_at="2099-01-01")
    assistant.call("update_memory", id=phone, text="My phone is a Fairphone")
    outcome = assistant.call("undo", app="Cursor")
    assert (outcome["restored"], outcome["conflict_count"]) == ([], 1)
    conflict = outcome["conflicts"][0]
    assert (conflict["now"], conflict["earlier"]) == (
        {"text": "My phone is a Fairphone"},
        {"text": "My phone is a Pixel"},
    )
    both = assistant.call("undo", app="Cursor", on_conflict="keep_both")
    (copy,) = both["added"]
    assert assistant.call("get_memory", id=copy)["memory"]["text"] == "My phone is a Pixel"
    assert assistant.call("undo", app="Cursor", on_conflict="revert")["conflicts"][0]["duplicate_of"] == copy
    assistant.call("forget", id=copy)
    assert assistant.call("undo", app="Cursor", on_conflict="revert")["restored"] == [phone]
    memory = assistant.call("get_memory", id=phone)["memory"]
    assert (memory["text"], memory["expires_at"]) == ("My phone is a Pixel", None)


def test_the_history_shows_every_version_and_one_is_restored(assistant: Assistant, cursor: Assistant) -> None:
    phone = assistant.call("remember", text="My phone is a Nokia")["memory_id"]
    cursor.call("update_memory", id=phone, text="My phone is a Pixel", importance=0.8)
    cursor.call("forget", id=phone, reason="broken")
    history = assistant.call("memory_history", id=phone)
    assert history["total"] == 3
    assert [(each["version"], each["app"], each["operation"], each["text"]) for each in history["versions"]] == [
        (1, "Notebook", "remember", "My phone is a Nokia"),
        (2, "Cursor", "update", "My phone is a Pixel"),
        (3, "Cursor", "forget", "My phone is a Pixel"),
    ]
    assert history["versions"][1]["before"]["importance"] == 0.5
    assert history["versions"][2]["after"]["deleted_at"].endswith("Z")
    assert assistant.call("undo", memory_id=phone, version=1)["restored"] == [phone]
    memory = assistant.call("get_memory", id=phone)["memory"]
    assert (memory["text"], memory["importance"], "deleted_at" in memory) == ("My phone is a Nokia", 0.5, False)


def test_pages_of_changes_are_complete(assistant: Assistant) -> None:
    for number in range(5):
        assistant.call("remember", text=f"Fact number {number}", dedup_policy="insert")
    seen: list[str] = []
    cursor = None
    for size in (2, 2, 1):
        page = assistant.call("list_changes", limit=2, **({"cursor": cursor} if cursor else {}))
        assert len(page["change_sets"]) == size
        seen += [each["changes"][0]["text"] for each in page["change_sets"]]
        cursor = page["next_cursor"]
    assert cursor is None
    assert seen == [f"Fact number {number}" for number in (4, 3, 2, 1, 0)]


def test_changes_of_a_session_are_those_of_its_memories(assistant: Assistant, owner: User) -> None:
    assistant.call("remember", text="I like tea", session_id="kitchen")
    assistant.call("remember", text="I like wine", session_id="cellar")
    assert assistant.call("list_changes", session_id="kitchen")["change_sets"][0]["session_id"] == "kitchen"
    assert assistant.call("undo", session_id="kitchen")["message"] == "Done: 1 removed."
    assert active(owner) == ["I like wine"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ({}, "INVALID_INPUT", "Give exactly one of change_set, memory_id with version"),
        ({"app": "Cursor", "session_id": "x"}, "INVALID_INPUT", "Give exactly one of"),
        ({"memory_id": 1}, "INVALID_INPUT", "memory_id: must come with version."),
        ({"version": 1, "app": "Cursor"}, "INVALID_INPUT", "version: must come with memory_id."),
        ({"change_set": "yesterday"}, "INVALID_INPUT", "change_set: must be the id of a change set"),
        ({"change_set": str(uuid4())}, "NOT_FOUND", "There are no such changes."),
        (
            {"change_set": str(uuid4()), "since": "2026-01-01"},
            "INVALID_INPUT",
            "change_set: cannot be combined with since.",
        ),
        ({"session_id": " "}, "INVALID_INPUT", "session_id: must not be empty."),
        ({"app": "Nobody"}, "NOT_FOUND", "There are no changes by an app called 'Nobody'"),
        ({"memory_id": 10**9, "version": 1}, "NOT_FOUND", "There is no memory with id 1000000000."),
        ({"since": "2020-01-01", "on_conflict": "win"}, "INVALID_INPUT", "on_conflict:"),
    ],
)
def test_what_cannot_be_undone_is_said(
    assistant: Assistant, owner: User, arguments: dict[str, object], code: str, message: str
) -> None:
    make_memory(owner, "I like tea")
    for is_dry_run in (True, False):
        error = assistant.error_of("undo", **arguments, dry_run=is_dry_run)
        assert (error["code"], error["message"].startswith(message)) == (code, True), error
    assert active(owner) == ["I like tea"]


@pytest.mark.parametrize("bad", [{"limit": 0}, {"limit": 101}, {"cursor": "x"}, {"cursor": str(uuid4())}])
def test_a_bad_page_is_an_error(assistant: Assistant, bad: dict[str, object]) -> None:
    assert assistant.error_of("list_changes", **bad)["code"] in {"INVALID_INPUT", "NOT_FOUND"}


def test_undoing_needs_the_scope_to_administer(owner: User) -> None:
    writer = Assistant.of(owner, "memory:read memory:write")
    error = writer.rpc_error("tools/call", name="undo", arguments={"since": "2020-01-01"})
    assert error["data"]["reason"] == "insufficient_scope"
    assert writer.call("list_changes")["change_sets"] == []


def test_what_waits_in_the_inbox_is_the_owner_s_secret(assistant: Assistant, owner: User) -> None:
    guess = infer(quarantined(owner), "Robin may like jazz").memory_id
    assert assistant.call("list_changes")["change_sets"] == []
    assert assistant.error_of("memory_history", id=guess)["code"] == "NOT_FOUND"
    assert assistant.error_of("undo", since="2020-01-01")["code"] == "NOT_FOUND"
    assert [memory.pk for memory in inbox(View.whole(owner.pk))] == [guess]
