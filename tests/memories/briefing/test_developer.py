"""The briefing of a developer, whose latest memories are commands and settings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memories.access import View
from memories.aspects.reading import aspect_of
from memories.briefing.composition import compose_briefing
from memories.briefing.selection import rank_memories
from oauthserver.models import User
from tests.memories.briefing.developer_store import FACTS
from tests.support.factories import make_memory, make_user

pytestmark = pytest.mark.django_db
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


@pytest.fixture
def developer() -> User:
    owner = make_user()
    for text, tags, age in FACTS:
        said_at = TODAY - timedelta(days=age)
        make_memory(owner, text, tags=tags, created_at=said_at, last_confirmed_at=said_at)
    return owner


def lines_of(owner: User, max_tokens: int) -> list[str]:
    text = compose_briefing(View.whole(owner.pk), TODAY, max_tokens=max_tokens).text
    return [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]


def aspects_in(lines: list[str]) -> set[str | None]:
    return {aspect_of(line) for line in lines}


def test_a_short_briefing_says_who_she_is_and_what_she_prefers(developer: User) -> None:
    lines = lines_of(developer, 300)
    assert aspects_in(lines) >= {"name", "health", "home", "work", "preferences"}
    assert "I am allergic to hazelnuts" in lines
    assert "Theo is lactose intolerant" in lines, "Another memory says that Theo is her son."
    assert "I prefer short answers without introductions" in lines
    assert sum(aspect_of(line) == "preferences" for line in lines) >= 8


def test_statements_about_her_come_before_commands(developer: User) -> None:
    ranked = [each.memory.aspect for each in rank_memories(View.whole(developer.pk), TODAY)]
    about_her = [aspect for aspect in ranked if aspect is not None]
    assert ranked[: len(about_her)] == about_her
    others = [aspect for aspect in about_her if aspect != "preferences"]
    assert about_her[: len(others)] == others
    assert set(others) == {"name", "health", "home", "work", "family", "answers"}


def test_with_enough_tokens_commands_and_projects_follow(developer: User) -> None:
    lines = lines_of(developer, 2_000)
    assert "kubectl logs -f deploy/billing -c app --since=10m" in lines
    assert len(lines) == len(FACTS)


def test_an_old_preference_is_found_among_many_later_notes(developer: User) -> None:
    for number in range(70):
        make_memory(developer, f"The port of service {number} is {8000 + number * 7}", importance=0.6)
    assert "The user prefers British spelling in documentation" in lines_of(developer, 300)
