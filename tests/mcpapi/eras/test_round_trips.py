"""Tests of server requests and their answers in the stateless era (MCP 2026-07-28, basic/patterns/mrtr)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import signing

from mcpapi.catalog import Catalog
from mcpapi.eras import round_trips
from mcpapi.eras.request_meta import CLIENT_CAPABILITIES
from mcpapi.methods import tools
from oauthserver.models import User
from tests.support.factories import Assistant, make_app, make_user
from tests.support.mcp.handshake_client import assert_error, nested
from tests.support.mcp.interactive_tools import FORM, AskingTool, SamplingTool, accepted_input
from tests.support.mcp.stateless_client import ask

EVERYTHING: dict[str, Any] = {CLIENT_CAPABILITIES: {"elicitation": {}, "sampling": {}, "roots": {}}}


@pytest.fixture(autouse=True)
def curious_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = Catalog(tools=(AskingTool(), SamplingTool()))
    monkeypatch.setattr(tools, "catalog", lambda: offered)


def call(assistant: Assistant, name: str = "greet", **params: Any) -> Any:
    return ask(assistant, "tools/call", {"name": name, **params}, meta=EVERYTHING)


def result_of(response: Any) -> dict[str, Any]:
    assert response.status_code == 200, response.content
    result: dict[str, Any] = response.json()["result"]
    return result


def first_state(assistant: Assistant) -> str:
    """Return the state after the first response. It holds the name Alice."""
    result = result_of(call(assistant, inputResponses={"name": accepted_input("Alice")}))
    assert set(result["inputRequests"]) == {"colour"}
    return str(result["requestState"])


def test_a_question_ends_the_call(assistant: Assistant) -> None:
    result = result_of(call(assistant))
    assert result["resultType"] == "input_required"
    assert result["inputRequests"] == {
        "name": {
            "method": "elicitation/create",
            "params": {"message": "Your name?", "requestedSchema": FORM},
        }
    }
    assert isinstance(result["requestState"], str)
    assert "content" not in result
    assert "ttlMs" not in result


def test_each_thing_is_asked_once(assistant: Assistant) -> None:
    result = result_of(
        call(assistant, requestState=first_state(assistant), inputResponses={"colour": accepted_input("blue")})
    )
    assert result["resultType"] == "complete"
    assert result["content"][0]["text"] == "Alice blue"


def test_all_answers_may_come_at_once_and_more_than_was_asked(assistant: Assistant) -> None:
    given = {"name": accepted_input("Bo"), "colour": accepted_input("red"), "shoe_size": accepted_input("43")}
    assert result_of(call(assistant, inputResponses=given))["content"][0]["text"] == "Bo red"


def test_what_is_still_missing_is_asked_again(assistant: Assistant) -> None:
    result = result_of(call(assistant, inputResponses={"wrong": accepted_input("x")}))
    assert set(result["inputRequests"]) == {"name"}


def test_a_person_may_decline_or_cancel_and_the_tool_goes_on_from_there(assistant: Assistant) -> None:
    refused = {"name": {"action": "decline"}, "colour": {"action": "cancel"}}
    result = result_of(call(assistant, inputResponses=refused))
    assert (result["resultType"], result["content"][0]["text"]) == ("complete", "None None")


def test_several_things_can_be_asked_at_once(assistant: Assistant) -> None:
    result = result_of(call(assistant, "sample"))
    assert {request["method"] for request in result["inputRequests"].values()} == {
        "sampling/createMessage",
        "roots/list",
    }
    half = result_of(call(assistant, "sample", inputResponses={"roots": {"roots": []}}))
    assert set(half["inputRequests"]) == {"sample"}
    sample = {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"}
    rest = call(assistant, "sample", inputResponses={"sample": sample}, requestState=half["requestState"])
    assert result_of(rest)["resultType"] == "complete"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("greet", None),
        ("greet", []),
        ("greet", {"name": 12345}),
        ("greet", {"name": None}),
        ("greet", {"name": {}}),
        ("greet", {"name": {"action": "maybe"}}),
        ("greet", {"name": {"action": ["accept"]}}),
        ("sample", {"roots": {"roots": "file:///"}}),
        ("sample", {"sample": {"role": "assistant"}}),
    ],
)
def test_answers_that_are_none_are_refused(assistant: Assistant, tool: str, given: object) -> None:
    error = assert_error(call(assistant, tool, inputResponses=given), 400, -32602, "invalid_params")
    assert "inputResponses" in error["message"]


def test_what_is_nested_too_deeply_is_refused(assistant: Assistant) -> None:
    deep = nested(300)
    for params in ({"inputResponses": {"name": deep}}, {"arguments": deep}):
        error = assert_error(call(assistant, **params), 413, -32600, "request_too_complex")
        assert "64 levels of nesting" in error["data"]["details"]


@pytest.mark.parametrize("state", ["", "x", "a:b:c", "ö", 5, [], {}])
def test_a_made_up_state_is_refused(assistant: Assistant, state: object) -> None:
    assert_error(call(assistant, requestState=state), 400, -32602, "invalid_params")


def test_an_altered_state_is_refused(assistant: Assistant) -> None:
    state = first_state(assistant)
    payload, signature = state.split(":", 1)
    for altered in (state + "x", state[1:], f"{payload}x:{signature}", signing.dumps({}), signature):
        assert_error(call(assistant, requestState=altered), 400, -32602, "invalid_params")


def test_a_state_is_worth_nothing_for_other_arguments_people_and_apps(assistant: Assistant, owner: User) -> None:
    state = first_state(assistant)
    assert_error(call(assistant, requestState=state, arguments={"x": 1}), 400, -32602, "invalid_params")
    assert_error(call(assistant, "sample", requestState=state), 400, -32602, "invalid_params")
    for thief in (Assistant.of(owner, app=make_app("Other")), Assistant.of(make_user())):
        assert_error(call(thief, requestState=state), 400, -32602, "invalid_params")
    assert result_of(call(assistant, requestState=state))["resultType"] == "input_required"


def test_a_state_does_not_last(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    state = first_state(assistant)
    monkeypatch.setattr(round_trips, "STATE_LIFETIME_SECONDS", -1)
    error = assert_error(call(assistant, requestState=state), 400, -32602, "invalid_params")
    assert "expired" in error["message"]


@pytest.mark.parametrize(
    ("tool", "capabilities", "missing"),
    [
        ("greet", {}, {"elicitation": {}}),
        ("greet", {"elicitation": {"url": {}}}, {"elicitation": {}}),
        ("greet", {"elicitation": True}, {"elicitation": {}}),
        ("sample", {"roots": {}}, {"sampling": {}}),
        ("sample", {"elicitation": {}}, {"sampling": {}, "roots": {}}),
    ],
)
def test_a_client_is_not_asked_what_it_cannot_answer(
    assistant: Assistant, tool: str, capabilities: dict[str, Any], missing: dict[str, Any]
) -> None:
    response = ask(assistant, "tools/call", {"name": tool}, meta={CLIENT_CAPABILITIES: capabilities})
    error = assert_error(response, 400, -32021, "missing_capability")
    assert error["data"]["requiredCapabilities"] == missing


@pytest.mark.parametrize("capabilities", [{}, {"form": {}}, {"form": {}, "url": {}}])
def test_forms_need_no_declaration_of_their_own(assistant: Assistant, capabilities: dict[str, Any]) -> None:
    response = ask(
        assistant, "tools/call", {"name": "greet"}, meta={CLIENT_CAPABILITIES: {"elicitation": capabilities}}
    )
    assert result_of(response)["resultType"] == "input_required"


def test_a_list_is_never_a_question_and_looks_at_no_state(assistant: Assistant) -> None:
    result = result_of(ask(assistant, "tools/list", {"requestState": "x", "inputResponses": 5}, meta=EVERYTHING))
    assert result["resultType"] == "complete"


def test_in_the_handshake_era_nobody_is_asked(assistant: Assistant) -> None:
    response = assistant.request("tools/call", {"name": "greet"})
    assert_error(response, 200, -32602, "missing_capability")
