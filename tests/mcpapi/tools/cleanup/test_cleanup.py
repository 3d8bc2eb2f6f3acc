"""Tests of the tools that tidy up: merging, splitting, and plans for the owner."""

from __future__ import annotations

from typing import Any

import pytest

from memories.access import View
from memories.models import CleanupLine, Memory
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import Assistant, make_app, make_memory


def active(owner: User) -> list[str]:
    return list(Memory.objects.visible_to(View.whole(owner.pk)).active().order_by("pk").values_list("text", flat=True))


def test_merged_memories_lead_to_the_new_one(assistant: Assistant, owner: User) -> None:
    ids = [make_memory(owner, text).pk for text in ("Mochi is a dog", "Mochi is a Shiba")]
    planned = assistant.call("merge_memories", ids=ids, text="The dog Mochi is a Shiba", dry_run=True)
    assert (planned["message"], planned["replaced"], "memory_id" in planned) == ("Would merge", ids, False)
    merged = assistant.call("merge_memories", ids=ids, text="The dog Mochi is a Shiba")
    assert (merged["message"], merged["replaced"]) == ("Merged", ids)
    for former in ids:
        assert assistant.call("get_memory", id=former)["memory"]["replaced_by_id"] == merged["memory_id"]
    assert active(owner) == ["The dog Mochi is a Shiba"]


def test_a_split_memory_leads_to_all_its_parts(assistant: Assistant, owner: User) -> None:
    whole = make_memory(owner, "The car is red and the bike is blue", tags=("garage",)).pk
    split = assistant.call("split_memory", id=whole, texts=["The car is red", "The bike is blue"])
    assert split["message"] == "Split"
    memory = assistant.call("get_memory", id=whole)["memory"]
    assert (memory["replaced_by_id"], memory["replaced_by"]) == (split["parts"][0], split["parts"])
    assert assistant.call("get_memory", id=split["parts"][1])["memory"]["tags"] == ["garage"]


def test_an_assistant_tidies_up_with_the_owner(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    texts = ("My dog is called Mochi", "The name of my dog is Mochi", "The bike is blue")
    ids = [make_memory(owner, text).pk for text in texts]
    task = assistant.call("tidy_next")
    assert (task["task"], sorted(memory["id"] for memory in task["memories"])) == ("duplicates", ids[:2])
    change = {"action": "merge", "ids": ids[:2], "text": "Mochi is my dog's name", "reason": "The same"}
    proposed = assistant.call("propose_cleanup", changes=[change], reason="Duplicates")
    assert (proposed["changes"], active(owner)) == (1, list(texts))
    assert assistant.call("tidy_next")["memories"] == []
    (plan,) = assistant.call("list_cleanup_plans")["plans"]
    (line,) = plan["lines"]
    assert (plan["plan_id"], line["state"], line["details"]) == (
        proposed["plan_id"],
        "open",
        {"text": "Mochi is my dog's name"},
    )
    assert line["texts"] == list(texts[:2])
    applied = assistant.call("apply_cleanup", id=plan["plan_id"], lines=[0])
    assert (applied["applied"], applied["results"][0]["state"]) == (1, "applied")
    assert active(owner) == ["The bike is blue", "Mochi is my dog's name"]
    assert assistant.call("list_cleanup_plans")["plans"] == []
    assert assistant.call("list_cleanup_plans", include_closed=True)["plans"][0]["lines"][0]["state"] == "applied"
    assistant.call("undo", change_set=applied["change_set"])
    assert active(owner) == list(texts)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"action": "burn", "ids": [1]}, "changes.0: action: must be 'merge'"),
        ({"action": "merge", "ids": "x", "text": "x y"}, "changes.0: ids"),
        ({"action": "forget"}, "changes.0: ids: is required."),
        ({"action": "forget", "ids": []}, "changes.0.ids: forget takes exactly one memory."),
        ({"action": "forget", "ids": [1], "colour": 1}, "changes.0: colour: is not an argument"),
        ({"action": "expire", "ids": [1], "expires_at": "2001-01-01"}, "changes.0"),
        (5, "changes.0: item: must be an object."),
    ],
)
def test_a_bad_proposal_names_the_change(assistant: Assistant, change: Any, message: str) -> None:
    error = assistant.error_of("propose_cleanup", changes=[change])
    assert (error["code"] in {"INVALID_INPUT", "NOT_FOUND"}, error["message"].startswith(message)) == (True, True), (
        error
    )
    assert not CleanupLine.objects.exists()


def test_another_app_neither_sees_nor_applies_the_plan(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I like tea").pk
    plan = assistant.call("propose_cleanup", changes=[{"action": "forget", "ids": [memory]}])["plan_id"]
    other = Assistant.of(owner, app=make_app("Cursor"))
    assert other.call("list_cleanup_plans")["plans"] == []
    assert other.error_of("apply_cleanup", id=plan)["code"] == "NOT_FOUND"
    writer = Assistant.of(owner, "memory:read memory:write")
    denied = writer.rpc_error("tools/call", name="apply_cleanup", arguments={"id": plan})
    assert denied["data"]["reason"] == "insufficient_scope"
    assert assistant.error_of("apply_cleanup", id=plan, lines=[3])["message"] == (
        f"lines: line 3 of plan {plan} is not open."
    )
    assert active(owner) == ["I like tea"]
