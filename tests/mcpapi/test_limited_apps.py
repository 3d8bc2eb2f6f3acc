"""What an app that is limited to some tags is told by each tool: the same as if there were no other memories."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from mcpapi import tools
from mcpapi.tools import TOOLS
from memories.models import JournalEntry, Memory, MemoryVector
from memories.operations import forget_memory
from oauthserver.models import User
from tests.factories import Assistant, actor_for, make_expired, make_memory, make_user

pytestmark = pytest.mark.django_db

FIRST_SHOWN, FIRST_HIDDEN, FIRST_NEW = 1_001, 5_001, 9_001
SHOWN, SHOWN_NEAR, SHOWN_TOMBSTONE, SHOWN_EXPIRED = range(FIRST_SHOWN, FIRST_SHOWN + 4)
HIDDEN, HIDDEN_NEAR, HIDDEN_TOMBSTONE, HIDDEN_EXPIRED = range(FIRST_HIDDEN, FIRST_HIDDEN + 4)
MEETING = "We meet the whole team at the office every single Monday morning"

CALLS: dict[str, list[dict[str, Any]]] = {
    "remember": [
        {"text": f"{MEETING} with cake", "dedup_policy": "skip_if_near", "tags": ["home"]},
        {"text": f"{MEETING} with tea"},
        {"text": "The kettle is broken for good"},
    ],
    "remember_batch": [{"items": [{"text": f"{MEETING} with cake"}, {"text": "x", "tags": ["hushed"]}, {"text": "y"}]}],
    "recall": [
        *({"query": f"{MEETING} kettle", "mode": mode} for mode in ("hybrid", "semantic", "keyword")),
        {"query": "kettle", "tags": ["hushed", "drinks"]},
        {"query": "kettle", "since": "2020-01-01T00:00:00Z", "limit": 1},
    ],
    "search_memory": [{"query": MEETING}],
    "build_context_prompt": [{"user_prompt": MEETING}],
    "list_memories": [
        {},
        {"include_deleted": True, "include_expired": True},
        {"untagged_only": True},
        {"min_chars": 10},
        {"limit": 1, "offset": 1},
    ],
    "update_memory": [
        {"id": HIDDEN, "importance": 0.1},
        {"id": HIDDEN, "text": "Something else", "dry_run": True},
        {"id": HIDDEN, "tags": ["home"]},
        {"id": HIDDEN_TOMBSTONE, "importance": 0.1},
        {"id": SHOWN, "tags": ["hushed"]},
    ],
    "update_memory_batch": [
        {"items": [{"id": memory_id, "importance": 0.1} for memory_id in (HIDDEN, SHOWN, HIDDEN_TOMBSTONE)]},
        {"items": [{"id": HIDDEN, "tags": ["home"]}], "dry_run": True},
    ],
    "confirm": [{"id": HIDDEN}, {"id": HIDDEN_EXPIRED}],
    "forget": [
        {"id": HIDDEN, "dry_run": True},
        {"id": HIDDEN, "reason": "no more"},
        {"id": SHOWN, "replaced_by_id": HIDDEN},
        {"id": HIDDEN_TOMBSTONE, "reason": "no more"},
        {"id": HIDDEN, "hard_delete": True},
        {"id": HIDDEN_TOMBSTONE, "hard_delete": True},
    ],
    "forget_batch": [{"ids": [SHOWN, HIDDEN, HIDDEN_TOMBSTONE], "reason": "no more"}],
    "find_near_duplicates": [{}, {"threshold": 0.5, "max_groups": 1}],
    "text_search": [{"text": "e"}, {"text": "MEET", "include_expired": True}],
    "get_memory": [{"id": HIDDEN}, {"id": HIDDEN_TOMBSTONE}, {"id": SHOWN_TOMBSTONE}],
    "count_memories": [{}, {"include_deleted": True, "include_expired": True}, {"tags": ["drinks"]}],
    "memory_stats": [{}],
    "list_tags": [{}, {"include_deleted": True}, {"limit": 1}],
    "export_memories": [{}, {"cursor": f"after-{SHOWN_EXPIRED}"}, {"include_deleted": False}],
    "search": [{"query": f"{MEETING} kettle"}],
    "fetch": [{"id": str(memory_id)} for memory_id in (HIDDEN, HIDDEN_TOMBSTONE, SHOWN)],
    "ping": [{}],
}


def number_from(first: int) -> None:
    """Have the next memory get the id `first`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval(pg_get_serial_sequence('memories_memory', 'id'), %s, false)", [first])


def make_four(user: User, tag: str, provider: str, first: int, texts: tuple[str, str, str, str]) -> None:
    """Two memories that are near the meeting or the kettle, a tombstone and an expired one."""
    number_from(first)
    made = [make_memory(user, text, tags=(tag, "drinks"), source_provider=provider) for text in texts]
    forget_memory(actor_for(user), made[2].pk, reason=f"{provider} said so")
    make_expired(made[3])


def assistant_among(*, hidden_memories: bool, tags: tuple[str, ...]) -> Assistant:
    """An app limited to `tags`, whose person has memories tagged home, and others if they are wanted."""
    Memory.objects.all().delete()
    user = make_user()
    texts = ("The kettle stands in the kitchen", f"{MEETING} at nine", "The kettle is old", "The tea is hot")
    make_four(user, "home", "Claude", FIRST_SHOWN, texts)
    if hidden_memories:
        texts = (MEETING, f"{MEETING} now", "The kettle is broken", "The kettle is hot")
        make_four(user, "hushed", "Secretary", FIRST_HIDDEN, texts)
        forget_memory(actor_for(user), SHOWN_TOMBSTONE, replaced_by_id=HIDDEN)
    number_from(FIRST_NEW)
    return Assistant.of(user, tags=tags)


def answers(assistant: Assistant, tool: str) -> list[Any]:
    """What the tool answers to each of its calls, without times."""
    told = [assistant.call(tool, **arguments) for arguments in CALLS[tool]]
    masked: list[Any] = json.loads(re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "…", json.dumps(told)))
    return masked


def all_that_is_hidden() -> list[list[Any]]:
    """The hidden memories, their vectors and their history."""
    ids = range(FIRST_HIDDEN, FIRST_HIDDEN + 4)
    return [
        list(Memory.objects.filter(pk__in=ids).order_by("pk").values()),
        list(MemoryVector.objects.filter(memory_id__in=ids).order_by("memory_id").values_list("memory_id", "window")),
        list(JournalEntry.objects.filter(memory_id__in=ids).order_by("pk").values()),
    ]


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_a_limited_app_is_told_nothing_of_other_memories_and_changes_none(tool: str) -> None:
    expected = answers(assistant_among(hidden_memories=False, tags=("home",)), tool)
    limited = assistant_among(hidden_memories=True, tags=("home",))
    before = all_that_is_hidden()
    assert answers(limited, tool) == expected
    assert all_that_is_hidden() == before
    assert [len(rows) for rows in before] == [4, 4, 5]


@pytest.mark.parametrize("tool", sorted(set(CALLS) - {"ping"}))
def test_the_calls_would_show_what_is_hidden_to_an_app_that_sees_everything(tool: str) -> None:
    without = answers(assistant_among(hidden_memories=False, tags=()), tool)
    assert answers(assistant_among(hidden_memories=True, tags=()), tool) != without


def test_no_tool_says_itself_whose_memories_are_meant() -> None:
    files = list(Path(tools.__file__).parent.glob("*.py"))
    assert len(files) > len(CALLS)
    for file in files:
        assert not re.search(r"user_id|principal\b|\bView\b", file.read_text(encoding="utf-8")), file
