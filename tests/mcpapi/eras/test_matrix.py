"""Tests that OwnSona behaves alike in every revision, in every way to request it."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from mcpapi.tools import TOOLS
from mcpapi.tools.custom.tool import META
from memories.models import Memory
from oauthserver.models import User
from tests.agents.support import make_agent
from tests.customtools.support import make_tool, parameters
from tests.mcpapi.budgets.test_calls import make_budget
from tests.support.factories import Assistant, make_memory, make_user
from tests.support.mcp.handshake_client import session_of
from tests.support.mcp.revisions import CLIENTS, SendRequest
from tests.support.mcp.stateless_client import ask
from tests.workflows.support import make_workflow

every_speaker = pytest.mark.parametrize("speak", CLIENTS.values(), ids=CLIENTS)


def result_of(response: Any) -> dict[str, Any]:
    assert response.status_code == 200, response.content
    result: dict[str, Any] = response.json()["result"]
    return result


def call(speak: SendRequest, assistant: Assistant, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return the payload in its text, which is equal in every revision."""
    result = result_of(speak(assistant, "tools/call", {"name": tool, "arguments": arguments}))
    payload: dict[str, Any] = orjson.loads(result["content"][0]["text"])
    assert result["isError"] is not payload["ok"]
    assert result.get("structuredContent", payload) == payload
    return payload


@every_speaker
def test_what_is_remembered_is_recalled_and_forgotten(speak: SendRequest, assistant: Assistant) -> None:
    memory_id = call(speak, assistant, "remember", text="My dog is called Mochi", tags=["Pets"])["memory_id"]
    (match,) = call(speak, assistant, "recall", query="what is my dog called")["matches"]
    assert (match["id"], match["tags"]) == (memory_id, ["pets"])
    assert call(speak, assistant, "forget", id=memory_id)["message"] == "Forgotten"
    assert call(speak, assistant, "recall", query="what is my dog called")["matches"] == []


@every_speaker
def test_every_tool_is_listed(speak: SendRequest, assistant: Assistant) -> None:
    listed = result_of(speak(assistant, "tools/list", {}))["tools"]
    assert {tool["name"] for tool in listed} <= {tool.name for tool in TOOLS}
    assert {"remember", "recall", "forget"} <= {tool["name"] for tool in listed}
    assert all(tool["description"] and tool["inputSchema"]["type"] == "object" for tool in listed)


@every_speaker
def test_a_failure_of_a_tool_is_a_result(speak: SendRequest, assistant: Assistant) -> None:
    assert call(speak, assistant, "get_memory", id=1)["error"]["code"] == "NOT_FOUND"
    assert call(speak, assistant, "remember", text=5)["error"]["code"] == "INVALID_INPUT"


@every_speaker
def test_a_memory_is_a_resource_of_its_owner_alone(speak: SendRequest, assistant: Assistant, owner: User) -> None:
    mine, others = make_memory(owner, "I live in Lyon"), make_memory(make_user(), "I live in Oslo")
    (read,) = result_of(speak(assistant, "resources/read", {"uri": f"ownsona://memory/{mine.pk}"}))["contents"]
    assert "I live in Lyon" in read["text"]
    refused = speak(assistant, "resources/read", {"uri": f"ownsona://memory/{others.pk}"}).json()["error"]
    assert refused["data"]["reason"] == "resource_not_found"


@every_speaker
def test_prompts_are_there(speak: SendRequest, assistant: Assistant) -> None:
    listed = result_of(speak(assistant, "prompts/list", {}))["prompts"]
    result = result_of(speak(assistant, "prompts/get", {"name": listed[0]["name"]}))
    assert result["messages"][0]["content"]["type"] == "text"


@every_speaker
def test_an_agent_is_a_prompt_and_two_resources_of_its_owner_alone(
    speak: SendRequest, assistant: Assistant, owner: User
) -> None:
    make_agent(owner)
    make_agent(make_user(), "theirs")
    arguments = {"service": "payments"}
    messages = result_of(speak(assistant, "prompts/get", {"name": "reviewer", "arguments": arguments}))["messages"]
    assert messages[0]["content"]["text"] == "You review incidents of payments calmly."
    for part in ("SOUL.md", "config"):
        uri = f"ownsona://agents/reviewer/{part}"
        assert result_of(speak(assistant, "resources/read", {"uri": uri}))["contents"][0]["uri"] == uri
        refused = speak(assistant, "resources/read", {"uri": f"ownsona://agents/theirs/{part}"}).json()["error"]
        assert refused["data"]["reason"] == "resource_not_found"
    assert "error" in speak(assistant, "prompts/get", {"name": "theirs", "arguments": arguments}).json()


@every_speaker
def test_a_workflow_is_a_prompt_a_resource_and_can_be_run_by_its_owner_alone(
    speak: SendRequest, assistant: Assistant, owner: User
) -> None:
    make_workflow(owner)
    make_workflow(make_user(), "theirs")
    (read,) = result_of(speak(assistant, "resources/read", {"uri": "ownsona://workflows/store"}))["contents"]
    assert '"id": "store"' in read["text"]
    arguments = {"fact": "Tea is green"}
    assert result_of(speak(assistant, "prompts/get", {"name": "store", "arguments": arguments}))["messages"]
    assert call(speak, assistant, "run_workflow", id="store", arguments=arguments)["state"] == "done"
    assert call(speak, assistant, "run_workflow", id="theirs", arguments=arguments)["error"]["code"] == "NOT_FOUND"


@every_speaker
def test_a_custom_tool_is_listed_and_called_by_its_owner_alone(
    speak: SendRequest, assistant: Assistant, owner: User
) -> None:
    body = 'if params.fail then error("the lamp is broken") end return { doubled = params.number * 2 }'
    make_tool(owner, body, declared=parameters(number="integer", fail="boolean"))
    make_tool(make_user(), "return 1", name="theirs")
    listed = {tool["name"]: tool for tool in result_of(speak(assistant, "tools/list", {}))["tools"]}
    assert "theirs" not in listed
    assert listed["attempt"]["inputSchema"]["properties"]["number"] == {"type": "integer"}
    assert listed["attempt"].get("_meta", META) == META
    assert call(speak, assistant, "attempt", number=21)["result"] == {"doubled": 42}
    failed = call(speak, assistant, "attempt", fail=True)["error"]
    assert failed == {"code": "tool_error", "message": "line 3: the lamp is broken"}
    assert call(speak, assistant, "attempt", number="many")["error"]["code"] == "INVALID_INPUT"
    refused = speak(assistant, "tools/call", {"name": "theirs"}).json()["error"]
    assert refused["data"]["reason"] == "invalid_params"


@every_speaker
def test_a_budget_that_is_used_up_has_the_same_error(speak: SendRequest, assistant: Assistant, owner: User) -> None:
    make_tool(owner, "return 1")
    make_budget(owner, "calls", 0)
    error = speak(assistant, "tools/call", {"name": "attempt", "arguments": {}}).json()["error"]
    assert (error["code"], error["data"]["reason"], error["data"]["budget"]) == (
        -32003,
        "budget_exceeded",
        "calls_per_day",
    )


@every_speaker
def test_what_is_wrong_has_the_same_reason(speak: SendRequest, assistant: Assistant) -> None:
    asked = [("tools/call", {"name": "no_such_tool"}), ("tools/list", {"cursor": "x"}), ("no/such", {})]
    reasons = [speak(assistant, method, params).json()["error"]["data"]["reason"] for method, params in asked]
    assert reasons == ["invalid_params", "invalid_params", "method_not_found"]


@every_speaker
def test_a_missing_scope_is_refused_before_anything_happens(speak: SendRequest, owner: User) -> None:
    reader = Assistant.of(owner, "memory:read")
    response = speak(reader, "tools/call", {"name": "remember", "arguments": {"text": "x y"}})
    assert response.status_code == 403
    assert 'scope="memory:write"' in response["WWW-Authenticate"]
    assert not Memory.objects.exists()


def lists_of(assistant: Assistant) -> list[Any]:
    """Return the content of each list for a stateless client."""
    return [ask(assistant, f"{kind}/list").json()["result"] for kind in ("tools", "prompts", "resources")]


def test_lists_are_those_of_the_caller_whatever_was_asked_before(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "My dog is called Mochi")
    before = lists_of(assistant)
    session_of(assistant, "2024-11-05")
    assistant.request("tools/list", headers={"mcp-protocol-version": "2025-03-26"})
    ask(assistant, "tools/call", {"name": "recall", "arguments": {"query": "dog"}})
    assert lists_of(assistant) == before
    assert lists_of(Assistant(assistant.token)) == before


def test_a_call_that_asks_to_be_a_task_is_answered_as_any_other(assistant: Assistant) -> None:
    params = {"name": "ping", "arguments": {"message": "hi"}, "task": {"ttl": 60_000}}
    assert result_of(assistant.request("tools/call", params))["structuredContent"]["message"] == "hi"
