"""Tests that recalls by each tool are stored for their owner."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from mcpapi.observability.audit import audit_lines
from memories.models import PastRecall
from memories.recall_log.past_recalls import pending_recalls
from oauthserver.models import User
from tests.support.factories import Assistant, make_app, make_memory
from tests.support.mcp.rest_client import RestClient

CALLS: dict[str, dict[str, Any]] = {
    "recall": {"query": "tea", "limit": 3, "min_score": 0.0, "mode": "keyword"},
    "search_memory": {"query": "tea"},
    "memory.search": {"query": "tea", "scope": "user"},
    "search": {"query": "tea"},
    "build_context_prompt": {"user_prompt": "tea"},
}


def kept() -> list[PastRecall]:
    """Return the stored recalls, oldest first."""
    pending_recalls.flush()
    return list(PastRecall.objects.order_by("pk"))


@pytest.mark.parametrize("tool", CALLS)
def test_each_tool_that_recalls_leaves_one(owner: User, settings: Settings, tool: str) -> None:
    settings.AUDIT_QUERIES = True
    app = make_app("Notebook")
    tea = make_memory(owner, "The tea is in the drawer")
    assert Assistant.of(owner, app=app).call(tool, **CALLS[tool])["ok"]
    (past,) = kept()
    assert (past.owner_id, past.client, past.tool, past.query) == (owner.pk, app.client_id, tool, "tea")
    assert [found["id"] for found in past.matches] == [tea.pk]
    assert past.limit == CALLS[tool].get("limit", settings.DEFAULT_RECALL_LIMIT)
    assert past.mode == CALLS[tool].get("mode", "hybrid")
    assert 0 < past.milliseconds < 60_000


def test_a_search_by_plain_http_leaves_one(owner: User, settings: Settings) -> None:
    settings.AUDIT_QUERIES = True
    tea = make_memory(owner, "The tea is in the drawer", tags=("home",))
    program = RestClient.of(owner)
    program.post("/tools/search", query="tea", limit=1, filters={"tags": ["home"]})
    program.post("/tools/search", query="tea", filters={"source": "elsewhere"})
    (past,) = kept()
    assert (past.tool, past.query, past.limit, past.tags) == ("search", "tea", 1, ["home"])
    assert [found["id"] for found in past.matches] == [tea.pk]


def test_calls_that_recall_nothing_or_fail_leave_none(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "The tea is in the drawer")
    assistant.call("text_search", text="tea")
    assistant.call("list_memories")
    assistant.error_of("recall", query="tea", limit=0)
    Assistant.of(owner, "memory:write").request("tools/call", {"name": "recall", "arguments": {"query": "tea"}})
    assert kept() == []


def test_of_a_limited_app_only_what_it_was_given_is_kept(owner: User) -> None:
    shown = make_memory(owner, "Tea for work", tags=("work",))
    make_memory(owner, "Tea for two", tags=("family",))
    Assistant.of(owner, tags=("work",)).call("recall", query="tea", limit=1)
    (past,) = kept()
    assert [found["id"] for found in (*past.matches, *past.near_misses)] == [shown.pk]


def test_a_recall_that_cannot_be_kept_is_answered(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_memory(owner, "The tea is in the drawer")

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(pending_recalls, "_write", fail)
    assert len(assistant.call("recall", query="tea")["matches"]) == 1
    with pytest.raises(OSError, match="full"):
        pending_recalls.flush()
    assert len(assistant.call("recall", query="tea")["matches"]) == 1


def test_without_a_record_no_recall_is_kept(assistant: Assistant, settings: Settings) -> None:
    settings.AUDIT_DAYS = 0
    assistant.call("recall", query="tea")
    assert kept() == []
    assert audit_lines._waiting == {}
