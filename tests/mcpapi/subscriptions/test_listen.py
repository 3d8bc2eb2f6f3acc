"""Tests of `subscriptions/listen`: streams of the stateless era (MCP 2026-07-28, basic/patterns/subscriptions)."""

from __future__ import annotations

from typing import Any

import pytest

from mcpapi.execution.call_execution import SUBSCRIPTION_ID
from mcpapi.models import OwnPrompt
from mcpapi.state.sessions import MAX_SUBSCRIPTIONS
from mcpapi.subscriptions.hub import hub
from oauthserver.models import User
from tests.support.factories import Assistant, make_memory
from tests.support.mcp.event_reader import EventReader, in_thread, run
from tests.support.mcp.stateless_client import ask


async def listening(assistant: Assistant, **notifications: Any) -> EventReader:
    response = await in_thread(ask, assistant, "subscriptions/listen", {"notifications": notifications})
    return EventReader(response)


def test_it_begins_with_what_it_will_tell_and_ends_with_an_answer(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        reader = await listening(
            assistant,
            resourcesListChanged=True,
            promptsListChanged=False,
            toolsListChanged=True,
            resourceSubscriptions=["ownsona://stats", "https://example.com/", "ownsona://stats"],
        )
        first = await reader.event()
        assert first.method == "notifications/subscriptions/acknowledged"
        assert first.message["params"] == {
            "notifications": {
                "toolsListChanged": True,
                "resourcesListChanged": True,
                "resourceSubscriptions": ["ownsona://stats"],
            },
            "_meta": {SUBSCRIPTION_ID: 1},
        }
        await in_thread(hub.stop)
        last = await reader.event()
        assert (last.message["id"], last.message["result"]["resultType"]) == (1, "complete")
        assert last.message["result"]["_meta"][SUBSCRIPTION_ID] == 1
        assert await reader.next() is None
        assert first.event_id is None

    run(work)


def test_only_what_was_asked_for_is_told_and_every_message_names_the_request(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        prompts = await listening(assistant, promptsListChanged=True)
        stats = await listening(assistant, resourceSubscriptions=["ownsona://stats"])
        for reader in (prompts, stats):
            await reader.event()
        await in_thread(make_memory, owner, "My dog is called Mochi")
        await in_thread(OwnPrompt.objects.create, owner=owner, name="mine", messages=[])
        told = [await prompts.event(), await stats.event()]
        assert [each.method for each in told] == [
            "notifications/prompts/list_changed",
            "notifications/resources/updated",
        ]
        assert all(each.message["params"]["_meta"] == {SUBSCRIPTION_ID: 1} for each in told)
        for reader in (prompts, stats):
            await reader.close()
        assert hub.listeners() == []

    run(work)


@pytest.mark.parametrize(
    "notifications",
    [
        None,
        [],
        {"resourceSubscriptions": "ownsona://stats"},
        {"resourceSubscriptions": [1]},
        {"resourceSubscriptions": ["x" * 5000]},
        {"resourceSubscriptions": ["ownsona://stats"] * (MAX_SUBSCRIPTIONS + 1)},
        {"resourcesListChanged": "yes"},
    ],
)
def test_an_odd_filter_is_refused_by_name(owner: User, assistant: Assistant, notifications: object) -> None:
    response = ask(assistant, "subscriptions/listen", {"notifications": notifications})
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32602)
    assert "notifications" in response.json()["error"]["message"]


def test_who_may_not_read_may_not_listen(owner: User) -> None:
    response = ask(Assistant.of(owner, scopes="memory:write"), "subscriptions/listen", {"notifications": {}})
    assert response.status_code == 403


def test_the_handshake_era_does_not_know_it(owner: User, assistant: Assistant) -> None:
    assert assistant.request("subscriptions/listen", {"notifications": {}}).json()["error"]["code"] == -32601
