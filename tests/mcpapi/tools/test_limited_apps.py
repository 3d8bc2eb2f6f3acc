"""Tests of each tool for an app limited to some tags: the result is the one without the other memories."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documents.models import Document
from mcpapi import tools
from mcpapi.tools import TOOLS
from memories.models import Memory
from memories.writing.lifecycle import forget_memory
from tests.support.factories import Assistant, actor_for, make_user
from tests.support.mcp.two_worlds import (
    CALLS,
    FIRST_HIDDEN,
    FIRST_NEW,
    FIRST_SHOWN,
    HIDDEN,
    MEETING,
    SHOWN_TOMBSTONE,
    answers,
    hidden_rows,
    make_four,
    number_from,
)
from tests.workflows.support import steps_workflow

pytestmark = pytest.mark.django_db


def assistant_among(*, hidden_memories: bool, tags: tuple[str, ...]) -> Assistant:
    """Return an app limited to `tags`, with visible memories tagged home, and on request hidden ones."""
    Memory.objects.all().delete()
    Document.objects.all().delete()
    user = make_user()
    look = {"tool": "text_search", "arguments": {"text": "e"}}
    steps_workflow(user, look, {"tool": "get_memory", "arguments": {"id": HIDDEN}}, name="look")
    texts = ("The kettle stands in the kitchen", f"{MEETING} at nine", "The kettle is old", "The tea is hot")
    make_four(user, "home", "Claude", FIRST_SHOWN, texts)
    if hidden_memories:
        texts = (MEETING, f"{MEETING} now", "The kettle is broken", "The kettle is hot")
        make_four(user, "hushed", "Secretary", FIRST_HIDDEN, texts)
        forget_memory(actor_for(user), SHOWN_TOMBSTONE, replaced_by_id=HIDDEN)
    number_from(FIRST_NEW)
    return Assistant.of(user, tags=tags)


def test_a_limited_app_is_told_nothing_of_other_memories_and_changes_none() -> None:
    tools = [tool.name for tool in TOOLS]
    expected = answers(assistant_among(hidden_memories=False, tags=("home",)), tools)
    limited = assistant_among(hidden_memories=True, tags=("home",))
    assert [len(rows) for rows in hidden_rows()] == [4, 4, 5, 1, 1]
    assert answers(limited, tools) == expected


def test_the_calls_would_show_what_is_hidden_to_an_app_that_sees_everything() -> None:
    tools = set(CALLS) - {"ping", "sync_source", "list_cleanup_plans", "apply_cleanup"}
    without = answers(assistant_among(hidden_memories=False, tags=()), tools, sees_all=True)
    told = answers(assistant_among(hidden_memories=True, tags=()), tools, sees_all=True)
    assert {tool for tool in tools if told[tool] == without[tool]} == set()


def test_no_tool_says_itself_whose_memories_are_meant() -> None:
    # Profiles are chosen by connection.
    files = [path for path in Path(tools.__file__).parent.rglob("*.py") if path.name != "profiles.py"]
    assert len(files) > len(CALLS)
    for file in files:
        assert not re.search(r"owner_id|user_id|principal\b|\bView\b", file.read_text(encoding="utf-8")), file
