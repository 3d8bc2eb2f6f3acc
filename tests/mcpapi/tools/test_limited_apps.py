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


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_a_limited_app_is_told_nothing_of_other_memories_and_changes_none(tool: str) -> None:
    expected = answers(assistant_among(hidden_memories=False, tags=("home",)), tool)
    limited = assistant_among(hidden_memories=True, tags=("home",))
    before = hidden_rows()
    assert answers(limited, tool) == expected
    assert hidden_rows() == before
    assert [len(rows) for rows in before] == [4, 4, 5, 1, 1]


@pytest.mark.parametrize("tool", sorted(set(CALLS) - {"ping", "sync_source", "list_cleanup_plans", "apply_cleanup"}))
def test_the_calls_would_show_what_is_hidden_to_an_app_that_sees_everything(tool: str) -> None:
    without = answers(assistant_among(hidden_memories=False, tags=()), tool)
    assert answers(assistant_among(hidden_memories=True, tags=()), tool) != without


def test_no_tool_says_itself_whose_memories_are_meant() -> None:
    # Profiles are chosen by connection.
    files = [path for path in Path(tools.__file__).parent.rglob("*.py") if path.name != "profiles.py"]
    assert len(files) > len(CALLS)
    for file in files:
        assert not re.search(r"owner_id|user_id|principal\b|\bView\b", file.read_text(encoding="utf-8")), file
