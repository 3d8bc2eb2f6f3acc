"""The tool `briefing` and the resource of the same name."""

from __future__ import annotations

import pytest

from oauthserver.models import User
from tests.support.factories import Assistant, make_memory, make_user

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
