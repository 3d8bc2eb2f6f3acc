"""Tests of the notifications that agents have changed."""

from __future__ import annotations

from typing import Any

import pytest

from agents.changes import delete_agent, switch_agent
from agents.events import CHANNEL, AgentChange
from agents.files import store_files
from agents.models import Agent
from agents.tasks import read_files
from mcpapi.subscriptions.hub import hub
from oauthserver.models import User
from tests.agents.support import make_agent, write_file
from tests.support.factories import Assistant, make_user
from tests.support.mcp.event_reader import EventReader, in_thread, run
from tests.support.mcp.stateless_client import ask
from tests.support.mcp.stream_fixtures import LIMIT_SECONDS
from tests.support.notifications import listening

pytestmark = pytest.mark.django_db(transaction=True)


def test_each_change_that_assistants_can_notice_is_published() -> None:
    owner = User.objects.create_superuser("boss")
    with listening(CHANNEL) as heard:
        make_agent(owner)
        assert heard() == [f"{owner.pk} reviewer"]
        switch_agent(owner.pk, "reviewer", is_enabled=False)
        switch_agent(owner.pk, "librarian", is_enabled=False)
        assert heard() == [f"{owner.pk} reviewer", f"{owner.pk} librarian"]
        delete_agent(owner.pk, "reviewer")
        assert heard() == [f"{owner.pk} reviewer"]
        path = write_file("critic.toml", 'description = "x"\nsoul = "y"\n')
        store_files()
        store_files()
        assert heard() == [f"{owner.pk} critic"]
        path.write_text("broken")
        read_files()
        assert heard() == []
        assert Agent.objects.get(name="critic").problem
        path.unlink()
        read_files()
        assert heard() == [f"{owner.pk} critic"]
    assert AgentChange.read("7 critic") == AgentChange(7, "critic")


def test_streams_are_notified_of_the_lists_and_of_the_resources_of_the_agent(
    request: pytest.FixtureRequest,
) -> None:
    owner, other = make_user(), make_user()
    assistant = Assistant.of(owner)
    request.addfinalizer(lambda: hub.stop(LIMIT_SECONDS))

    async def listening_stream(**notifications: Any) -> EventReader:
        reader = EventReader(await in_thread(ask, assistant, "subscriptions/listen", {"notifications": notifications}))
        await reader.event()
        return reader

    async def work() -> None:
        prompts = await listening_stream(promptsListChanged=True)
        resources = await listening_stream(
            resourcesListChanged=True,
            resourceSubscriptions=[
                "ownsona://agents/reviewer/SOUL.md",
                "ownsona://agents/critic/config",
                "ownsona://briefing",
            ],
        )
        await in_thread(make_agent, other, "critic")
        await in_thread(make_agent, owner)
        assert (await prompts.event()).method == "notifications/prompts/list_changed"
        assert (await resources.event()).method == "notifications/resources/list_changed"
        updated = await resources.event()
        assert updated.message["params"]["uri"] == "ownsona://agents/reviewer/SOUL.md"
        await in_thread(make_agent, owner, "critic")
        assert (await resources.event()).method == "notifications/resources/list_changed"
        assert (await resources.event()).message["params"]["uri"] == "ownsona://agents/critic/config"

    run(work)
