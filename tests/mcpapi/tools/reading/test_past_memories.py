"""Tests of the marks of memories whose time has ended, and of the times in the shape of a memory."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_django import Settings

from memories.models import Memory
from oauthserver.models import User
from tests.support.factories import Assistant, make_memory

SAID = datetime(2026, 5, 6, 9, tzinfo=UTC)
LIFT = "The lift is out of order until Friday."
NOTE = f"{LIFT} (past: until 8 May 2026)"


@pytest.fixture(autouse=True)
def owners_time_zone(settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = UTC


@pytest.fixture
def lift(owner: User) -> Memory:
    return make_memory(owner, LIFT, created_at=SAID)


@pytest.mark.parametrize("tool", ["recall", "get_memory", "list_memories", "text_search", "export_memories"])
def test_a_memory_shows_its_times_and_that_it_is_past(assistant: Assistant, lift: Memory, tool: str) -> None:
    arguments: dict[str, dict[str, Any]] = {
        "recall": {"query": "lift"}, "get_memory": {"id": lift.pk}, "text_search": {"text": "lift"}
    }  # fmt: skip
    answer = assistant.call(tool, **arguments.get(tool, {}))
    (shown,) = answer.get("matches") or answer.get("memories") or [answer["memory"]]
    assert shown["valid_from"] == "2026-05-06T00:00:00Z"
    assert shown["valid_until"] == "2026-05-08T23:59:59Z"
    assert shown["is_past"] is True


def test_a_memory_without_them_is_as_before(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I like tea.")
    assert not {"valid_from", "valid_until", "is_past"} & set(assistant.call("get_memory", id=memory.pk)["memory"])


def test_one_that_is_to_come_is_not_past(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "Dentist tomorrow")
    shown = assistant.call("get_memory", id=memory.pk)["memory"]
    assert "valid_until" in shown
    assert "is_past" not in shown


def test_what_a_tool_remembers_has_the_times_that_it_states(assistant: Assistant) -> None:
    remembered = assistant.call("remember", text="Dentist tomorrow")
    assert "valid_until" in assistant.call("get_memory", id=remembered["memory_id"])["memory"]
    assistant.call("update_memory", id=remembered["memory_id"], text="I like tea.")
    assert "valid_until" not in assistant.call("get_memory", id=remembered["memory_id"])["memory"]


def test_a_fact_in_a_prompt_is_marked(assistant: Assistant, lift: Memory) -> None:
    assert f"\n\n{NOTE}\n\n" in assistant.call("build_context_prompt", user_prompt="Does the lift work?")["prompt"]


def test_search_and_fetch_mark_it(assistant: Assistant, lift: Memory) -> None:
    (hit,) = assistant.call("search", query="lift")["results"]
    assert hit["title"] == NOTE
    metadata = assistant.call("fetch", id=hit["id"])["metadata"]
    assert (metadata["valid_until"], metadata["is_past"]) == ("2026-05-08T23:59:59Z", "true")


def test_the_resources_mark_it(assistant: Assistant, lift: Memory) -> None:
    (contents,) = assistant.result("resources/read", uri="ownsona://memory/")["contents"]
    assert contents["text"].endswith(NOTE)
