"""Tests of the values that completion proposes for an argument."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from mcpapi.methods import completion
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import Assistant, actor_for, make_memory, make_user

MEMORY = {"type": "ref/resource", "uri": "ownsona://memory/{id}"}
TAG = {"type": "ref/resource", "uri": "ownsona://tags/{tag}"}
TOPIC = {"type": "ref/prompt", "name": "what-do-you-know-about"}


def proposed(assistant: Assistant, ref: dict[str, str], name: str, value: str) -> list[str]:
    answer = assistant.result("completion/complete", ref=ref, argument={"name": name, "value": value})
    values: list[str] = answer["completion"]["values"]
    return values


def test_a_tag_is_completed_from_those_in_use_most_used_first(assistant: Assistant, owner: User) -> None:
    for number, tags in enumerate((("work",), ("work", "homework"), ("homework",), ("work", "wolves"), ("ärzte",))):
        make_memory(owner, f"Fact number {number}", tags=tags)
    assert proposed(assistant, TAG, "tag", "WO") == ["work", "wolves", "homework"]
    assert proposed(assistant, TAG, "tag", " är") == ["ärzte"]
    assert proposed(assistant, TAG, "tag", "x\x00") == []
    assert proposed(assistant, TAG, "tag", "") == ["work", "homework", "wolves", "ärzte"]
    assert proposed(assistant, TOPIC, "topic", "wolv") == ["wolves"]


def test_an_id_is_completed_from_memories_in_force_newest_first(assistant: Assistant, owner: User) -> None:
    kept, gone = make_memory(owner, "My dog is called Mochi"), make_memory(owner, "I live in Lyon")
    other = make_memory(owner, "I like green tea")
    forget_memory(actor_for(owner), gone.pk)
    assert proposed(assistant, MEMORY, "id", "") == [str(other.pk), str(kept.pk)]
    assert proposed(assistant, MEMORY, "id", str(kept.pk)) == [str(kept.pk)]
    for nonsense in ("x", "-1", "\x00", "٣", "1 OR 1", "9" * 40):
        assert proposed(assistant, MEMORY, "id", nonsense) == []


def test_nothing_of_other_people_or_other_tags_is_proposed(assistant: Assistant, owner: User) -> None:
    make_memory(make_user(), "My dog is called Mochi", tags=("pets",))
    make_memory(owner, "I live in Lyon", tags=("home",))
    assert proposed(assistant, TAG, "tag", "") == ["home"]
    limited = Assistant.of(owner, tags=("work",))
    assert proposed(limited, TAG, "tag", "") == []
    assert proposed(limited, MEMORY, "id", "") == []


def test_an_argument_without_a_source_gets_no_proposals(assistant: Assistant) -> None:
    assert proposed(assistant, {"type": "ref/prompt", "name": "weekly-review"}, "since", "2026") == []


def test_at_most_so_many_values_are_sent(assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    make_memory(owner, "My dog is called Mochi", tags=("aa", "ab", "ac"))
    monkeypatch.setattr(completion, "MAX_VALUES", 2)
    params = {"ref": TAG, "argument": {"name": "tag", "value": "a"}}
    assert assistant.result("completion/complete", **params)["completion"] == {"values": ["aa", "ab"], "hasMore": True}
    monkeypatch.setattr(completion, "MAX_VALUES", 3)
    assert assistant.result("completion/complete", **params)["completion"] == {
        "values": ["aa", "ab", "ac"],
        "hasMore": False,
        "total": 3,
    }


@pytest.mark.parametrize(
    ("ref", "argument", "named"),
    [
        (None, {"name": "tag", "value": ""}, "ref"),
        ({}, {"name": "tag", "value": ""}, "ref.type"),
        ({"type": "ref/tool", "name": "x"}, {"name": "tag", "value": ""}, "ref.type"),
        ({"type": "ref/resource", "uri": "ownsona://stats"}, {"name": "tag", "value": ""}, "ref.uri"),
        ({"type": "ref/resource"}, {"name": "tag", "value": ""}, "ref.uri"),
        ({"type": "ref/prompt", "name": "no-such"}, {"name": "tag", "value": ""}, "no-such"),
        ({"type": "ref/prompt", "name": 5}, {"name": "tag", "value": ""}, "name"),
        (TAG, None, "argument"),
        (TAG, {"value": ""}, "argument"),
        (TAG, {"name": "tag"}, "argument"),
        (TAG, {"name": "tag", "value": 5}, "argument"),
        (TAG, {"name": "tag", "value": "x" * 2_001}, "argument"),
        (TAG, {"name": "id", "value": ""}, "argument.name"),
        (TOPIC, {"name": "tag", "value": ""}, "topic"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(assistant: Assistant, ref: Any, argument: Any, named: str) -> None:
    error = assistant.rpc_error("completion/complete", ref=ref, argument=argument)
    assert error["code"] == -32602
    assert named in error["message"]


def test_a_proposal_costs_one_query(
    assistant: Assistant, owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_memory(owner, "My dog is called Mochi", tags=("pets",))
    proposed(assistant, TAG, "tag", "p")
    # The token, the values, and for a prompt whether the owner has one, an agent or a workflow, of that name.
    for ref, name, queries in ((TAG, "tag", 2), (MEMORY, "id", 2), (TOPIC, "topic", 5)):
        with django_assert_num_queries(queries):
            proposed(assistant, ref, name, "")
