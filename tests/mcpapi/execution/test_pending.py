"""Tests of calls that wait for an event, and of the reasons to end them earlier."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

import pytest
from django.test import RequestFactory, override_settings

from mcpapi.catalog import Catalog
from mcpapi.http.bodies import TURN, Turn
from mcpapi.http.notification_streams import principal_source
from mcpapi.methods import tools
from mcpapi.models import AuditLine, OwnPrompt
from mcpapi.observability.audit import audit_lines
from mcpapi.rpc.suspension import publish
from mcpapi.subscriptions.hub import hub
from oauthserver.models import User
from tests.mcpapi.eras.test_batches import BATCHING
from tests.support.factories import Assistant, make_user
from tests.support.mcp.event_reader import EventReader, in_thread, run
from tests.support.mcp.interactive_tools import WaitingTool
from tests.support.mcp.streamed_calls import call, send, session_with, stateless_stream, stream, text_of
from tests.support.processes import eventually

DECIDED = "decided"


@pytest.fixture(autouse=True)
def waiter(monkeypatch: pytest.MonkeyPatch) -> WaitingTool:
    tool = WaitingTool(topic=DECIDED)
    monkeypatch.setattr(tools, "catalog", lambda: Catalog(tools=(tool,)))
    return tool


def decide(owner: User) -> None:
    OwnPrompt.objects.create(owner=owner, name=DECIDED, messages=[])
    publish(DECIDED)


def results() -> list[tuple[str, str]]:
    """Return the method and the result of each tool call in the activity log."""
    audit_lines.flush()
    return list(AuditLine.objects.filter(method="tools/call").values_list("method", "result"))


async def in_either_era(assistant: Assistant, era: str) -> EventReader:
    """Make a call that waits, and return its stream."""
    if era == "stateless":
        return await stateless_stream(assistant, "wait")
    return await stream(assistant, await in_thread(session_with, assistant), "wait")


async def ended(reader: EventReader) -> dict[str, Any]:
    """Return the last message of a stream, and check that nothing is left of it."""
    message = (await reader.event()).message
    assert await reader.next() is None
    await reader.close()
    assert hub.listeners() == []
    return message


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_a_call_waits_without_a_thread_until_it_is_told_to_go_on(owner: User, assistant: Assistant, era: str) -> None:
    async def work() -> None:
        # More calls than threads.
        with override_settings(WEB_THREADS=1):
            readers = [await in_either_era(assistant, era) for _ in range(8)]
            await in_thread(publish, "something else")
            await in_thread(decide, owner)
            messages = [(await reader.event()).message for reader in readers]
        assert {text_of(message) for message in messages} == {"decided"}
        assert [await reader.next() for reader in readers] == [None] * 8
        assert hub.listeners() == []

    run(work)


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_a_call_that_goes_on_holds_the_turn_of_its_large_body(owner: User, assistant: Assistant, era: str) -> None:
    over = threading.Event()
    turn = Turn(over.set)
    assistant.client.defaults[TURN] = turn  # type: ignore[assignment] # what the real handler hands on

    async def work() -> None:
        reader = await in_either_era(assistant, era)
        turn.release()
        assert not over.is_set()
        await in_thread(decide, owner)
        assert text_of(await ended(reader)) == "decided"
        assert await in_thread(over.wait, 10)

    run(work)


def test_what_happened_before_the_call_began_to_listen_counts(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    join = hub.join

    def decide_first(listener: Any) -> None:
        decide(owner)
        join(listener)

    monkeypatch.setattr(hub, "join", decide_first)

    async def work() -> None:
        reader = await stream(assistant, await in_thread(session_with, assistant), "wait")
        assert text_of(await ended(reader)) == "decided"

    run(work)


def test_a_call_runs_again_when_its_time_is_over(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = WaitingTool(time.monotonic() + 3)
    monkeypatch.setattr(tools, "catalog", lambda: Catalog(tools=(tool,)))

    async def work() -> None:
        reader = await stateless_stream(assistant, "wait")
        assert text_of(await ended(reader)) == "too late"
        assert await in_thread(results) == [("tools/call", "ok")]

    run(work)


def test_who_cannot_read_a_stream_or_sends_a_batch_waits_for_nothing(owner: User, assistant: Assistant) -> None:
    call_of = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait"}}
    assert text_of(assistant.post(call_of).json()) == "cannot wait"
    accept = {"accept": "application/json, text/event-stream"}
    (in_batch,) = assistant.post([call_of], {**BATCHING, **accept}).json()
    assert text_of(in_batch) == "cannot wait"


def test_the_client_of_the_session_cancels_a_call_that_waits_and_nobody_else(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        stranger = await in_thread(lambda: Assistant.of(make_user()))
        session_id, elsewhere, strange = [
            await in_thread(session_with, each) for each in (assistant, assistant, stranger)
        ]
        reader = await stream(assistant, session_id, "wait", request_id="7")
        cancel = {"method": "notifications/cancelled"}
        for who, where, request_id in (
            (assistant, elsewhere, "7"),
            (stranger, strange, "7"),
            (assistant, session_id, 7),
            (assistant, session_id, None),
            (assistant, session_id, ["7"]),
        ):
            response = await in_thread(send, who, where, **cancel, params={"requestId": request_id})
            assert response.status_code == 202
        assert len(hub.listeners()) == 1
        await in_thread(send, assistant, session_id, **cancel, params={"requestId": "7", "reason": "bored"})
        assert await reader.next() is None
        assert hub.listeners() == []
        assert await in_thread(results) == [("tools/call", "cancelled")]

    run(work)


@pytest.mark.parametrize(("request_id", "named"), [(5, 5.0), (5.0, 5)])
def test_a_number_is_the_same_id_however_it_is_spelled(
    owner: User, assistant: Assistant, request_id: float, named: float
) -> None:
    async def work() -> None:
        session_id = await in_thread(session_with, assistant)
        reader = await stream(assistant, session_id, "wait", request_id=request_id)
        cancel = {"method": "notifications/cancelled", "params": {"requestId": named}}
        await in_thread(send, assistant, session_id, **cancel)
        assert await reader.next() is None

    run(work)


def test_who_leaves_is_waited_for_no_longer(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        leaving = [await in_either_era(assistant, era) for era in ("stateless", "handshake")]
        staying = await in_either_era(assistant, "stateless")
        for reader in leaving:
            await reader.close()
        assert await in_thread(eventually, lambda: len(hub.listeners()) == 1)
        await in_thread(decide, owner)
        assert text_of((await staying.event()).message) == "decided"
        assert await in_thread(eventually, lambda: len(results()) == 3)
        assert sorted(result for _, result in await in_thread(results)) == ["cancelled", "client_left", "ok"]
        await staying.close()
        assert hub.listeners() == []

    run(work)


def test_of_a_request_nothing_is_kept_but_its_token(owner: User, assistant: Assistant) -> None:
    request = RequestFactory().post("/mcp", headers={"authorization": f"Bearer {assistant.token}"})
    is_there, present = weakref.ref(request), principal_source(request)
    del request
    gc.collect()
    assert is_there() is None
    found = present()
    assert found is not None
    assert found.owner_id == owner.pk


def test_a_server_that_stops_says_so_to_who_waits(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        reader = await in_either_era(assistant, "handshake")
        await in_thread(hub.stop)
        assert (await ended(reader))["error"]["data"]["reason"] == "server_stops"

    run(work)


def test_calls_that_wait_count_as_streams(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        session_id = await in_thread(session_with, assistant)
        with override_settings(MCP_MAX_STREAMS=1):
            reader = await stream(assistant, session_id, "wait")
            response = await in_thread(call, assistant, session_id, "wait")
        assert (response.status_code, response.json()["id"]) == (429, 1)
        assert response.json()["error"]["data"]["reason"] == "too_many_streams"
        await in_thread(decide, owner)
        await ended(reader)

    run(work)
