"""Tests of streams whose connection the owner changes while they are open."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from common.scopes import READ, WRITE
from mcpapi.subscriptions.hub import hub
from oauthserver.models import Connection, Permission, User
from tests.mcpapi.http.streams.test_session_streams import opened, session_of
from tests.mcpapi.subscriptions.test_listen import listening
from tests.support.factories import Assistant, make_memory
from tests.support.mcp.event_reader import EventReader, in_thread, run

TOOLS = "notifications/tools/list_changed"
RESOURCES = "notifications/resources/list_changed"


def change(user: User, **values: Any) -> None:
    """Change the user's only connection, as the owner does on its page."""
    connection = Connection.objects.get(user=user)
    for name, value in values.items():
        setattr(connection, name, value)
    connection.save()


async def in_era(assistant: Assistant, era: str) -> EventReader:
    """Open a stream that subscribes to all changes, and return it."""
    if era == "session":
        return await opened(assistant, await in_thread(session_of, assistant))
    reader = await listening(assistant, toolsListChanged=True, resourcesListChanged=True)
    acknowledged = (await reader.event()).message["params"]["notifications"]
    assert acknowledged == {"toolsListChanged": True, "resourcesListChanged": True}
    return reader


@pytest.mark.parametrize("era", ["session", "stateless"])
@pytest.mark.parametrize(
    "values",
    [{"tools": ["recall"]}, {"profile": Permission.Profile.MAINTENANCE}, {"scopes": [READ, WRITE]}],
    ids=lambda values: next(iter(values)),
)
def test_an_app_hears_that_its_tools_changed_and_goes_on_listening(
    owner: User, assistant: Assistant, era: str, values: dict[str, Any]
) -> None:
    async def work() -> None:
        reader = await in_era(assistant, era)
        await in_thread(change, owner, **values)
        assert (await reader.event()).method == TOOLS
        await in_thread(make_memory, owner, "My dog is called Mochi")
        assert (await reader.event()).method == RESOURCES
        await reader.close()

    run(work)


def test_only_the_app_that_is_changed_hears_of_it(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        reader = await opened(assistant, await in_thread(session_of, assistant))
        other = await in_thread(Assistant.of, owner)
        other_reader = await opened(other, await in_thread(session_of, other))
        newest = await in_thread(Connection.objects.order_by("-pk").first)
        assert newest is not None
        newest.tools = ["recall"]
        await in_thread(newest.save)
        assert (await other_reader.event()).method == TOOLS
        await in_thread(make_memory, owner, "My dog is called Mochi")
        assert [(await each.event()).method for each in (reader, other_reader)] == [RESOURCES, RESOURCES]
        for each in (reader, other_reader):
            await each.close()

    run(work)


def test_an_app_that_asked_for_other_news_hears_nothing_of_its_tools(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        reader = await listening(assistant, resourcesListChanged=True, toolsListChanged=False)
        assert "toolsListChanged" not in (await reader.event()).message["params"]["notifications"]
        await in_thread(change, owner, tools=["recall"])
        await in_thread(make_memory, owner, "My dog is called Mochi")
        assert (await reader.event()).method == RESOURCES
        await reader.close()

    run(work)


def test_an_app_that_is_limited_to_tags_hears_that_its_resources_changed_and_then_of_those_only(
    owner: User, assistant: Assistant
) -> None:
    async def work() -> None:
        session = await in_thread(session_of, assistant)
        reader = await opened(assistant, session)
        await in_thread(change, owner, tags=["work"])
        assert (await reader.event()).method == RESOURCES
        await in_thread(make_memory, owner, "My dog is called Mochi", tags=["pets"])
        await in_thread(change, owner, tools=["recall"])
        assert (await reader.event()).method == TOOLS
        await reader.close()

    run(work)


@pytest.mark.parametrize(
    "values", [{"paused_at": timezone.now()}, {"scopes": [WRITE]}], ids=lambda values: next(iter(values))
)
def test_an_app_that_may_not_listen_any_more_is_cut_off_at_once(
    owner: User, assistant: Assistant, values: dict[str, Any]
) -> None:
    async def work() -> None:
        reader = await listening(assistant, resourcesListChanged=True)
        await reader.event()
        await in_thread(change, owner, **values)
        assert await reader.next() is None
        await reader.close()
        assert hub.listeners() == []

    run(work)
