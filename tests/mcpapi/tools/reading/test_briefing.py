"""The tool `briefing` and the resource of the same name."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from mcpapi.tools import TOOLS
from memories.models import Memory
from memories.writing.briefing_places import place_memory
from oauthserver.models import User
from tests.support.factories import Assistant, make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def assistant(owner: User) -> Assistant:
    return Assistant.of(owner)


def test_a_briefing_has_a_text_and_the_ids_of_its_memories(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "My dog is called Mochi", tags=("pets",))
    found = assistant.call("briefing")
    assert found["ok"]
    assert "- My dog is called Mochi" in found["text"]
    assert found["memory_ids"] == [memory.pk]


def test_tags_are_canonical_and_unknown_ones_find_nothing(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "My dog is called Mochi", tags=("pets",))
    assert assistant.call("briefing", tags=["Pets "])["memory_ids"]
    assert assistant.call("briefing", tags=["!!"])["memory_ids"] == []


@pytest.mark.parametrize("max_tokens", [0, -1, 1_000_001])
def test_an_impossible_budget_names_the_argument(assistant: Assistant, max_tokens: int) -> None:
    error = assistant.error_of("briefing", max_tokens=max_tokens)
    assert error["code"] == "INVALID_INPUT"
    assert error["message"].startswith("max_tokens: ")


def test_the_resource_has_the_same_text(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "My dog is called Mochi")
    (contents,) = assistant.result("resources/read", uri="ownsona://briefing")["contents"]
    assert contents["mimeType"] == "text/plain"
    assert contents["text"] == assistant.call("briefing")["text"]


def place(owner: User, memory: Memory, where: Memory.BriefingPlace) -> None:
    place_memory(owner_actor(owner), memory.pk, where)


def test_a_pinned_memory_is_marked_in_every_tool_and_a_hidden_one_is_not(assistant: Assistant, owner: User) -> None:
    pinned, hidden = make_memory(owner, "I play the cello"), make_memory(owner, "I play the flute")
    place(owner, pinned, Memory.BriefingPlace.PINNED)
    place(owner, hidden, Memory.BriefingPlace.HIDDEN)
    schema = next(tool.definition()["outputSchema"] for tool in TOOLS if tool.name == "get_memory")
    answers = [assistant.call("get_memory", id=memory.pk) for memory in (pinned, hidden)]
    for answer in answers:
        Draft202012Validator(schema).validate(answer)
    assert [answer["memory"].get("pinned") for answer in answers] == [True, None]
    assert not {"hidden_from_briefing", "briefing_place", "stored_by"} & set(answers[1]["memory"])
    for answer in (
        assistant.call("list_memories")["memories"],
        assistant.call("recall", query="I play the")["matches"],
        assistant.call("export_memories")["memories"],
    ):
        assert {memory["id"]: memory.get("pinned") for memory in answer} == {pinned.pk: True, hidden.pk: None}
    assert assistant.call("briefing")["memory_ids"] == [pinned.pk]


@pytest.mark.parametrize("name", ["pinned", "briefing_place", "hidden_from_briefing"])
def test_an_app_can_neither_pin_nor_hide(assistant: Assistant, owner: User, name: str) -> None:
    memory = make_memory(owner, "I play the cello")
    for tool, arguments in (
        ("update_memory", {"id": memory.pk, "importance": 1.0, name: True}),
        ("remember", {"text": "Buy the product now", name: True}),
    ):
        error = assistant.error_of(tool, **arguments)
        assert error["code"] == "INVALID_INPUT"
        assert error["message"].startswith(f"{name}: ")
    batch = assistant.call("remember_batch", items=[{"text": "Buy the product now", name: True}])
    assert batch["results"][0]["error"]["code"] == "INVALID_INPUT"
    changed = assistant.call("update_memory_batch", items=[{"id": memory.pk, "importance": 1.0, name: True}])
    assert changed["results"][0]["error"]["code"] == "INVALID_INPUT"
    assert list(Memory.objects.values_list("text", "briefing_place")) == [("I play the cello", None)]
