"""Tests of the lines of streams in the activity log."""

from __future__ import annotations

import asyncio

from pytest_django import Settings

from mcpapi.models import AuditLine, Session
from mcpapi.observability.audit import STREAM_ENDED, STREAM_OPENED, audit_lines
from mcpapi.subscriptions.hub import hub
from oauthserver.models import User
from tests.mcpapi.http.streams.test_session_streams import get, opened, session_of
from tests.mcpapi.subscriptions.test_listen import listening
from tests.support.factories import Assistant
from tests.support.mcp.event_reader import in_thread, run

OPEN_SECONDS = 0.05


def written() -> list[AuditLine]:
    """Return the lines of the activity log, oldest first."""
    audit_lines.flush()
    return list(AuditLine.objects.order_by("id"))


def test_a_session_stream_has_a_line_when_it_is_opened_and_one_when_the_client_leaves(
    owner: User, assistant: Assistant
) -> None:
    async def work() -> None:
        reader = await opened(assistant, await in_thread(session_of, assistant))
        await asyncio.sleep(OPEN_SECONDS)
        await reader.close()

    run(work)
    initialized, first, last = written()
    assert [line.method for line in (initialized, first, last)] == ["initialize", STREAM_OPENED, STREAM_ENDED]
    for line in (first, last):
        assert (line.owner, line.client_name, line.result) == (owner, "Notebook", AuditLine.OK)
        assert line.protocol_version == "2025-11-25"
        assert bytes(Session.objects.get().id_hash).hex().startswith(line.session)
        assert line.session
    assert first.milliseconds < OPEN_SECONDS * 1000 <= last.milliseconds


def test_a_stream_that_a_call_opened_has_its_line_and_one_when_the_server_ends_it(
    owner: User, assistant: Assistant
) -> None:
    async def work() -> None:
        reader = await listening(assistant, resourcesListChanged=True)
        await in_thread(hub.stop)
        while await reader.next() is not None:
            pass
        await reader.close()

    run(work)
    assert [line.method for line in written()] == ["subscriptions/listen", STREAM_ENDED]


def test_a_stream_that_is_refused_leaves_no_line(owner: User, assistant: Assistant) -> None:
    assert get(assistant, {"mcp-session-id": "made up"}).status_code == 404
    assert written() == []


def test_without_days_no_stream_leaves_a_line(owner: User, assistant: Assistant, settings: Settings) -> None:
    settings.AUDIT_DAYS = 0

    async def work() -> None:
        await (await opened(assistant, {})).close()

    run(work)
    assert written() == []
