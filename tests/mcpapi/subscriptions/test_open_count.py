"""Tests of the count of open streams over all processes."""

from __future__ import annotations

import pytest
from django.db import connection, connections

from mcpapi.subscriptions.hub import hub
from mcpapi.subscriptions.open_count import count_open_streams, publish_open_count
from oauthserver.models import User
from tests.mcpapi.subscriptions.test_listen import listening
from tests.support.factories import Assistant
from tests.support.mcp.event_reader import in_thread, run
from tests.support.mcp.stream_fixtures import LIMIT_SECONDS
from tests.support.processes import eventually


def test_a_stream_counts_from_its_beginning_to_its_end(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        readers = [await listening(assistant, promptsListChanged=True) for _ in range(2)]
        for reader in readers:
            await reader.event()
        assert await in_thread(eventually, lambda: count_open_streams() == 2)
        await readers[0].close()
        assert await in_thread(eventually, lambda: count_open_streams() == 1)
        await readers[1].close()
        assert await in_thread(eventually, lambda: count_open_streams() == 0)

    run(work)


def test_a_process_that_ends_takes_its_streams_along(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        reader = await listening(assistant, promptsListChanged=True)
        await reader.event()
        assert await in_thread(eventually, lambda: count_open_streams() == 1)
        await in_thread(hub.stop, LIMIT_SECONDS)
        assert await in_thread(eventually, lambda: count_open_streams() == 0)

    run(work)


@pytest.mark.django_db(transaction=True)
def test_the_streams_of_other_processes_count_too() -> None:
    others = [connections.create_connection("default") for _ in range(2)]
    try:
        for other in others:
            other.ensure_connection()
            publish_open_count(other.connection, 20)
        others[1].connection.execute("SET application_name = 'something else: 7'")
        assert count_open_streams() == 20
    finally:
        for other in others:
            other.close()
    with connection.cursor() as cursor:
        cursor.execute("SHOW application_name")
        assert "streams" not in cursor.fetchone()[0]
