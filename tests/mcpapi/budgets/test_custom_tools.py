"""Tests of budgets that are used up in the course of a script."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from django.utils import timezone
from pytest_django import Settings

from memories.models import Memory
from oauthserver.models import User
from tests.customtools.support import logged, make_tool
from tests.mcpapi.budgets.test_calls import make_budget, refused, used
from tests.support.embeddings.embedding_server import DIMENSIONS, embedding_server
from tests.support.factories import Assistant
from tests.support.mcp.rest_client import RestClient, assert_refused
from tests.workflows.support import steps_workflow

WRITE = 'scope = "memory:write",'
RECALL = 'return context.recall("What is my dog called?")'


@pytest.fixture(autouse=True)
def server(db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A paid endpoint for embeddings."""
    with embedding_server(monkeypatch) as running:
        settings.EMBEDDING_PROVIDER, settings.EMBEDDING_ENDPOINT = "openai", running.url
        settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = "some-model", DIMENSIONS
        settings.EMBEDDING_API_KEY = "key"
        yield


@pytest.mark.parametrize(
    "body",
    [
        RECALL,
        f"local found, problem = pcall(function() {RECALL} end)\nerror(problem)",
        f"local found, problem = pcall(function() {RECALL} end)\nerror(problem, 0)",
        f"return coroutine.wrap(function() {RECALL} end)()",
    ],
)
def test_a_script_that_does_not_handle_the_refusal_ends_with_it(owner: User, assistant: Assistant, body: str) -> None:
    make_budget(owner, "characters_embedded", 5)
    make_tool(owner, body)
    data = refused(assistant, name="attempt", arguments={})["data"]
    expected = {"budget": "characters_embedded_per_day", "used": 0, "limit": 5, "applies_to": "all apps"}
    assert expected.items() <= data.items()
    assert datetime.fromisoformat(data["resets_at"]) > timezone.now()
    assert any("is not enough" in line for line in logged(owner))


def test_the_rest_api_responds_with_429(owner: User) -> None:
    make_budget(owner, "characters_embedded", 5)
    make_tool(owner, RECALL)
    response = RestClient.of(owner).ask("/tools/attempt")
    error = assert_refused(response, 429, "budget_exceeded")
    assert (error["budget"], error["used"], error["limit"]) == ("characters_embedded_per_day", 0, 5)
    assert int(response["Retry-After"]) > 0


def test_a_script_may_handle_the_refusal(owner: User, assistant: Assistant) -> None:
    make_budget(owner, "characters_embedded", 5)
    make_tool(owner, f"return select(2, pcall(function() {RECALL} end))")
    problem = assistant.call("attempt")["result"]
    assert "The owner's budget of 5 per day" in problem
    make_tool(owner, f'pcall(function() {RECALL} end)\nerror("Nothing is known.")', name="translated")
    assert assistant.error_of("translated") == {"code": "tool_error", "message": "line 4: Nothing is known."}


def test_another_error_of_the_context_is_still_one_of_the_tool(owner: User, assistant: Assistant) -> None:
    make_budget(owner, "characters_embedded", 5)
    make_tool(owner, 'return context.get("x")')
    assert assistant.error_of("attempt")["code"] == "tool_error"


def test_a_script_is_one_call_and_one_write(owner: User, assistant: Assistant) -> None:
    calls, writes = make_budget(owner, "calls", 5), make_budget(owner, "writes", 5)
    make_tool(owner, 'context.remember("Tea is green") return context.remember("Coffee is black")', declared=WRITE)
    assert assistant.call("attempt")["ok"]
    assert (used(calls), used(writes)) == (1, 1)


def test_a_step_that_may_have_had_effects_does_not_wait_for_the_budget(owner: User, assistant: Assistant) -> None:
    make_budget(owner, "characters_embedded", 15)
    make_tool(owner, RECALL, name="reading")
    make_tool(owner, f'context.remember("Tea is green") {RECALL}', name="writing", declared=WRITE)
    steps_workflow(owner, {"tool": "reading"}, name="harmless")
    steps_workflow(owner, {"tool": "writing"}, name="writes")
    assert assistant.call("run_workflow", id="harmless")["state"] == "waiting"
    result = assistant.call("run_workflow", id="writes")
    assert (result["state"], result["steps"][0]["error_code"]) == ("failed", "budget_exceeded")
    assert Memory.objects.count() == 1
