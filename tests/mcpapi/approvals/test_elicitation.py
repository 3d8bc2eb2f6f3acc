"""Tests of approval in a form that the client shows (MCP, client/elicitation)."""

from __future__ import annotations

from typing import Any

import pytest

from mcpapi.approvals.approval_store import approve, reject
from mcpapi.models import Approval
from memories.models import Memory
from oauthserver.models import User
from tests.mcpapi.approvals.conftest import (
    asked_in,
    call,
    hard_delete,
    make_memories,
    must_ask,
    payload_of,
    the_approval,
)
from tests.support.factories import Assistant, make_memory

YES = {"action": "accept", "content": {"approve": True}}


def test_the_person_sees_what_would_be_done_and_to_what(owner: User, assistant: Assistant) -> None:
    memory = make_memory(owner, "The cat is called Mimi. " + "She sleeps. " * 50)
    name, message = asked_in(call(assistant, "forget", hard_delete(memory)))
    assert name == f"approval_{the_approval().pk.hex}"
    assert message.startswith(f"Permanently delete memory {memory.pk} and its history?\n\n#{memory.pk}: “The cat")
    assert len(message) < 300


def test_all_that_is_asked_for_is_a_yes_or_a_no(assistant: Assistant) -> None:
    (request,) = call(assistant, "export_memories", {})["inputRequests"].values()
    assert request["params"].keys() == {"message", "requestedSchema"}
    assert [field["type"] for field in request["params"]["requestedSchema"]["properties"].values()] == ["boolean"]


def test_of_many_memories_the_first_are_shown_with_the_reason(owner: User, assistant: Assistant) -> None:
    ids = make_memories(owner, 11)
    _, message = asked_in(call(assistant, "forget_batch", {"ids": ids, "reason": "All of it is  old."}))
    assert message.startswith("Forget 11 memories?")
    assert message.count("#") == 5
    assert message.endswith("… and 6 more\n\nReason given: All of it is old.")


def test_an_app_that_must_not_read_is_told_no_text_by_its_own_question(owner: User) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    assistant = Assistant.of(owner, scopes="memory:write memory:admin")
    must_ask()
    _, message = asked_in(call(assistant, "forget", hard_delete(memory)))
    assert message == f"Permanently delete memory {memory.pk} and its history?"


def test_a_yes_carries_it_out_once(owner: User, assistant: Assistant) -> None:
    arguments = hard_delete(make_memory(owner, "The cat is called Mimi."))
    first = call(assistant, "forget", arguments)
    name, _ = asked_in(first)
    answer = {"inputResponses": {name: YES}, "requestState": first["requestState"]}
    assert payload_of(call(assistant, "forget", arguments, **answer))["message"] == "Hard deleted"
    used = the_approval()
    assert (used.state, used.decided_in) == ("used", "app")


def test_an_answer_cannot_be_used_twice(assistant: Assistant) -> None:
    first = call(assistant, "export_memories", {})
    name, _ = asked_in(first)
    answer = {"inputResponses": {name: YES}, "requestState": first["requestState"]}
    assert payload_of(call(assistant, "export_memories", {}, **answer))["ok"]
    again, _ = asked_in(call(assistant, "export_memories", {}, **answer))
    assert again != name


def test_an_answer_counts_only_for_what_was_asked(assistant: Assistant) -> None:
    name, _ = asked_in(call(assistant, "export_memories", {}))
    other, _ = asked_in(
        call(assistant, "export_memories", {"cursor": "after-7"}, inputResponses={name: YES, "approve": YES})
    )
    assert other != name


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "decline"},
        {"action": "cancel"},
        {"action": "accept"},
        {"action": "accept", "content": {"approve": False}},
        {"action": "accept", "content": {"approve": "true"}},
        {"action": "accept", "content": []},
    ],
)
def test_anything_but_a_clear_yes_is_a_no(assistant: Assistant, answer: dict[str, Any]) -> None:
    name, _ = asked_in(call(assistant, "export_memories", {}))
    payload = payload_of(call(assistant, "export_memories", {}, inputResponses={name: answer}))
    assert payload["error"]["code"] == "APPROVAL_REJECTED"
    assert (the_approval().state, the_approval().decided_in) == ("rejected", "app")
    again, _ = asked_in(call(assistant, "export_memories", {}))
    assert again != name


@pytest.mark.parametrize("said", [None, {"action": "decline"}, YES])
def test_the_first_word_counts(assistant: Assistant, said: dict[str, Any] | None) -> None:
    name, _ = asked_in(call(assistant, "export_memories", {}))
    assert approve(the_approval(), Approval.Place.PAGE)
    assert not reject(the_approval(), Approval.Place.APP)
    responses = {} if said is None else {"inputResponses": {name: said}}
    assert payload_of(call(assistant, "export_memories", {}, **responses))["ok"]
    assert the_approval().decided_in == "page"


def test_where_the_owner_wants_it_the_app_is_not_asked(assistant: Assistant) -> None:
    must_ask(in_app=False)
    assert payload_of(call(assistant, "export_memories", {}))["error"]["code"] == "APPROVAL_TIMED_OUT"
    name = f"approval_{the_approval().pk.hex}"
    again = call(assistant, "export_memories", {}, inputResponses={name: YES})
    assert payload_of(again)["error"]["code"] == "APPROVAL_TIMED_OUT"
    assert the_approval().state == "asked"


def test_a_limited_app_is_shown_nothing_out_of_its_view(owner: User) -> None:
    make_memory(owner, "The bank is in Lyon.", tags=["money"])
    hidden = Memory.objects.get()
    assistant = Assistant.of(owner, tags=["pets"])
    must_ask()
    assert payload_of(call(assistant, "forget", hard_delete(hidden)))["error"]["code"] == "NOT_FOUND"
    assert not Approval.objects.exists()
