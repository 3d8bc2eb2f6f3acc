"""Tests of the tools that an app is shown, and of those that it may call."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from mcpapi.tools import TOOLS
from mcpapi.tools.profiles import ALL, AUTOMATIC, CORE, MAINTENANCE, PROFILES
from oauthserver.models import Connection, Permission, User
from tests.support.factories import Assistant, make_memory

EVERYDAY = "memory:read memory:write"
ALL_NAMES = {tool.name for tool in TOOLS}


def shown(assistant: Assistant) -> set[str]:
    return {tool["name"] for tool in assistant.result("tools/list")["tools"]}


def choose(**choices: object) -> None:
    """Change the only connection, as the owner does on its page."""
    assert Connection.objects.update(**choices) == 1


def test_the_profiles_name_tools_that_there_are() -> None:
    for names in PROFILES.values():
        assert names < ALL_NAMES
    assert {AUTOMATIC, ALL, *PROFILES} == set(Permission.Profile.values)


@pytest.mark.parametrize(
    ("profile", "scopes", "names"),
    [
        ("auto", EVERYDAY, CORE),
        ("auto", "memory:read", CORE),
        ("auto", f"{EVERYDAY} memory:admin", ALL_NAMES),
        ("core", f"{EVERYDAY} memory:admin", CORE),
        ("maintenance", EVERYDAY, MAINTENANCE),
        ("all", "memory:read", ALL_NAMES),
    ],
)
def test_an_app_is_shown_the_tools_of_its_profile(owner: User, profile: str, scopes: str, names: set[str]) -> None:
    assistant = Assistant.of(owner, scopes)
    choose(profile=profile)
    assert shown(assistant) == names


def test_a_tool_that_is_not_shown_can_be_called(owner: User) -> None:
    assistant = Assistant.of(owner, EVERYDAY)
    assert "ping" not in shown(assistant)
    assert assistant.call("ping")["message"] == "pong"


def test_an_app_sees_and_calls_only_the_tools_that_its_owner_allows(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "My dog is called Mochi")
    choose(tools=["recall", "*_memory"], profile="core")
    assert shown(assistant) == {"recall", "search_memory", "get_memory", "update_memory", "split_memory"}
    assert assistant.call("recall", query="dog")["matches"]
    for tool in ("remember", "forget", "ping", "memory.search"):
        error = assistant.rpc_error("tools/call", name=tool, arguments={"text": "x"})
        assert (error["code"], error["data"]["reason"]) == (-32000, "tool_not_allowed")
        assert tool in error["message"]
    choose(tools=[])
    assert assistant.call("ping")["message"] == "pong"


def test_a_tool_that_is_not_allowed_is_refused_before_its_scope_is_asked_for(owner: User) -> None:
    assistant = Assistant.of(owner, "memory:read")
    choose(tools=["recall"])
    response = assistant.request("tools/call", {"name": "remember", "arguments": {"text": "x y"}})
    assert response.status_code == 200
    assert response.json()["error"]["data"]["reason"] == "tool_not_allowed"


def test_an_unknown_tool_is_unknown_whatever_is_allowed(assistant: Assistant) -> None:
    choose(tools=["recall"])
    assert assistant.rpc_error("tools/call", name="no_such_tool")["code"] == -32602


def test_what_is_allowed_comes_with_the_query_for_the_token(
    assistant: Assistant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    choose(tools=["ping"])
    shown(assistant)
    # The second query is for the owner's custom tools. A call of a built-in tool needs none.
    with django_assert_num_queries(2):
        shown(assistant)
    with django_assert_num_queries(1):
        assistant.call("ping")
