"""Tests of the memories that belong to agents."""

from __future__ import annotations

from typing import Any

import pytest

from agents.changes import switch_agent
from memories.access import Actor, View
from memories.models import JournalEntry, Memory
from memories.recall_log.past_recalls import pending_recalls, query_of
from memories.transfer.records import owner_record_of, parse_record
from memories.writing.lifecycle import forget_memory
from memories.writing.merging import merge_memories, split_memory
from oauthserver.models import User
from tests.agents.support import make_agent
from tests.support.factories import Assistant, actor_for, make_memory, make_user
from tests.support.mcp.rest_client import RestClient

TEA = "The office kitchen has green tea"


def found(assistant: Assistant, **filters: Any) -> set[str]:
    """Return the texts that memory.search finds."""
    return {
        match["text"] for match in assistant.call("memory.search", query="office kitchen tea", **filters)["matches"]
    }


@pytest.fixture
def four(assistant: Assistant, owner: User) -> None:
    """What the user said, what an assistant inferred, and what two agents keep."""
    make_agent(owner)
    assistant.call("remember", text=f"{TEA}, said the user", dedup_policy="insert")
    assistant.call("remember", text=f"{TEA}, inferred", capture_mode="inferred", dedup_policy="insert")
    assistant.call("remember", text=f"{TEA}, noted the reviewer", agent="reviewer", dedup_policy="insert")
    assistant.call("remember", text=f"{TEA}, noted the librarian", agent="librarian", dedup_policy="insert")


@pytest.mark.usefixtures("four")
def test_a_scope_separates_the_memories_of_the_user_and_of_agents(assistant: Assistant) -> None:
    assert found(assistant, scope="user") == {f"{TEA}, said the user"}
    assert found(assistant, scope="agent") == {
        f"{TEA}, inferred",
        f"{TEA}, noted the reviewer",
        f"{TEA}, noted the librarian",
    }
    assert (
        found(assistant, scope="all")
        == found(assistant)
        == found(assistant, scope="user") | found(assistant, scope="agent")
    )
    assert found(assistant, agent="reviewer") == {f"{TEA}, noted the reviewer"}
    assert found(assistant, agent="reviewer", scope="user") == set()


@pytest.mark.usefixtures("four")
def test_recall_finds_all_or_those_of_one_agent(assistant: Assistant) -> None:
    query = {"query": "office kitchen tea", "precision": "all"}
    assert len(assistant.call("recall", **query)["matches"]) == 4
    (match,) = assistant.call("recall", agent="librarian", **query)["matches"]
    assert (match["agent"], match["capture_mode"]) == ("librarian", "explicit")
    assert "agent" not in assistant.call("get_memory", id=Memory.objects.order_by("pk")[0].pk)["memory"]


@pytest.mark.usefixtures("four")
def test_a_prompt_can_insert_what_the_agent_itself_has_noted(program: RestClient, owner: User) -> None:
    make_agent(owner, "critic", messages=[{"role": "user", "content": "{own_memories:service}"}])
    empty = program.post("/agents/critic/prompt", service="office kitchen tea")["messages"][0]["content"]
    assert empty == "Nothing is known about this."
    RestClient.post(program, "/tools/remember", text=f"{TEA}, noted the critic", agent="critic")
    own = program.post("/agents/critic/prompt", service="office kitchen tea")["messages"][0]["content"]
    assert own.count("#") == 1
    assert "noted the critic" in own


def test_an_agent_that_may_store_is_told_how(program: RestClient, owner: User) -> None:
    make_agent(owner, tools=["remember"])
    assert 'set the argument agent to "reviewer"' in program.post("/agents/reviewer/prompt", service="x")["system"]


@pytest.mark.parametrize("tool", ["remember", "recall", "memory.search", "remember_batch"])
def test_an_unknown_or_disabled_agent_is_refused(assistant: Assistant, owner: User, tool: str) -> None:
    make_agent(make_user(), "theirs")
    switch_agent(owner.pk, "tidier", is_enabled=False)
    writing: dict[str, dict[str, Any]] = {"remember": {"text": TEA}, "remember_batch": {"items": [{"text": TEA}]}}
    arguments = writing.get(tool, {"query": TEA})
    for name in ("nobody", "theirs", "tidier", "", "\x00", "x" * 10_000):
        error = assistant.error_of(tool, agent=name, **arguments)
        assert error["code"] == "INVALID_INPUT"
        assert error["message"].startswith("agent: must be the name of an agent")
    assert not Memory.objects.exists()


def test_items_of_a_batch_can_have_different_agents(assistant: Assistant) -> None:
    items = [{"text": "One"}, {"text": "Two", "agent": "tidier"}, {"text": "Three", "agent": "nobody"}]
    result = assistant.call("remember_batch", items=items, agent="librarian")
    assert [item["ok"] for item in result["results"]] == [True, True, False]
    assert result["results"][2]["error"]["message"].startswith("agent: must be the name")
    assert dict(Memory.objects.values_list("text", "agent")) == {"One": "librarian", "Two": "tidier"}


def test_a_text_belongs_to_whoever_stored_it_first(assistant: Assistant) -> None:
    assistant.call("remember", text=TEA)
    assert assistant.call("remember", text=TEA, agent="librarian")["message"] == "Already remembered"
    assert Memory.objects.get().agent is None


def test_a_limited_app_sees_only_its_part_of_an_agents_memories(owner: User) -> None:
    make_memory(owner, f"{TEA} at work", tags=("work",), agent="librarian")
    make_memory(owner, f"{TEA} at home", tags=("home",), agent="librarian")
    limited = Assistant.of(owner, tags=["work"])
    assert found(limited, agent="librarian") == found(limited, scope="agent") == {f"{TEA} at work"}


def test_the_agent_is_in_the_journal_and_survives_an_undo(assistant: Assistant, owner: User) -> None:
    assistant.call("remember", text=TEA, agent="librarian")
    memory = Memory.objects.get()
    assert JournalEntry.objects.get().after["agent"] == "librarian"
    forget_memory(actor_for(owner), memory.pk)
    assistant.call("undo", memory_id=memory.pk, version=1)
    memory.refresh_from_db()
    assert (memory.agent, memory.deleted_at) == ("librarian", None)


def test_parts_and_merged_memories_belong_to_the_same_agent(owner: User) -> None:
    actor = Actor(View.whole(owner.pk), "tests")
    first, second = (make_memory(owner, f"Fact {number}", agent="librarian") for number in (1, 2))
    other = make_memory(owner, "Fact 3", agent="tidier")
    merge_memories(actor, [first.pk, second.pk], "Fact one and fact two")
    merged = Memory.objects.get(text="Fact one and fact two")
    assert merged.agent == "librarian"
    split_memory(actor, merged.pk, ["Fact one", "Fact two"])
    assert Memory.objects.get(text="Fact two").agent == "librarian"
    merge_memories(actor, [Memory.objects.get(text="Fact two").pk, other.pk], "Facts two and three")
    assert Memory.objects.get(text="Facts two and three").agent is None


def test_files_keep_the_agent(owner: User) -> None:
    memory = make_memory(owner, TEA, agent="librarian")
    record = {name: value for name, value in owner_record_of(memory).items() if not hasattr(value, "year")}
    assert record["agent"] == "librarian"
    assert parse_record(record).draft.agent == "librarian"


@pytest.mark.usefixtures("four")
def test_the_recall_log_keeps_the_filters(assistant: Assistant) -> None:
    found(assistant, scope="agent", agent="reviewer")
    (row,) = pending_recalls._waiting
    query = query_of(row())
    assert (query.keeper, query.agent) == ("agent", "reviewer")
