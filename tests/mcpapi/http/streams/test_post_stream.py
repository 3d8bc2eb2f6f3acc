"""Tests of notifications on the stream of a call, and of calls that get plain JSON instead."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from mcpapi.calls.caller import Caller
from mcpapi.catalog import Catalog
from mcpapi.eras.request_meta import LOG_LEVEL
from mcpapi.http import post_stream
from mcpapi.methods import tools
from mcpapi.models import AuditLine, OwnPrompt
from mcpapi.observability.audit import audit_lines
from mcpapi.rpc.jsonrpc import RpcError
from mcpapi.subscriptions.hub import hub
from oauthserver.models import Connection, User
from tests.mcpapi.http.streams.test_session_streams import opened
from tests.support.factories import Assistant
from tests.support.mcp.event_reader import Event, EventReader, in_thread, run
from tests.support.mcp.interactive_tools import NotifyingTool
from tests.support.mcp.stateless_client import ask
from tests.support.mcp.streamed_calls import BOTH, call, send, session_with, stateless_stream, stream, text_of
from tests.support.processes import eventually

LIMIT_SECONDS = 30.0
STEP_SECONDS = 0.02

Offer = Callable[[Callable[[Caller], None]], None]


@pytest.fixture
def talking(monkeypatch: pytest.MonkeyPatch) -> Offer:
    """A function that makes its argument the work of the only tool."""

    def offer(work: Callable[[Caller], None]) -> None:
        monkeypatch.setattr(tools, "catalog", lambda: Catalog(tools=(NotifyingTool(work),)))

    return offer


def count_to_three(caller: Caller) -> None:
    for done in range(4):
        caller.notifier.progress(done, 3)


def complain(caller: Caller) -> None:
    caller.notifier.log("info", "All is well")
    caller.notifier.log("warning", "Not all is well")


def results() -> list[str]:
    """Return the results of tool calls in the activity log."""
    audit_lines.flush()
    return list(AuditLine.objects.filter(method="tools/call").values_list("result", flat=True))


async def all_of(reader: EventReader) -> list[Event]:
    events = []
    while (event := await reader.next()) is not None:
        events.append(event)
    await reader.close()
    assert hub.listeners() == []
    return events


def test_progress_is_told_on_the_stream_that_ends_with_the_answer(
    owner: User, assistant: Assistant, talking: Offer
) -> None:
    talking(count_to_three)

    async def work() -> None:
        session_id = await in_thread(session_with, assistant)
        for reader in (
            await stream(assistant, session_id, "talk", progressToken="t"),
            await stateless_stream(assistant, "talk", progressToken="t"),
        ):
            *told, last = await all_of(reader)
            assert {each.method for each in told} == {"notifications/progress"}
            assert not any("id" in each.message for each in told)
            assert [each.message["params"]["progressToken"] for each in told] == ["t"] * len(told)
            assert told[-1].message["params"]["progress"] == 3
            assert (last.message["id"], text_of(last.message)) == (1, "done")
            assert last.event_id is None
        assert await in_thread(results) == ["ok", "ok"]

    run(work)


def test_the_stream_of_a_session_has_nothing_of_its_calls(owner: User, assistant: Assistant, talking: Offer) -> None:
    talking(count_to_three)

    async def work() -> None:
        session_id = await in_thread(session_with, assistant)
        standing = await opened(assistant, {"mcp-session-id": session_id})
        told = EventReader(await in_thread(call, assistant, session_id, "talk", progressToken="t"))
        events = []
        while (event := await told.next()) is not None:
            events.append(event)
        assert len(events) > 1
        # Without an id, no client can request the event again, on any stream.
        assert {event.event_id for event in events} == {None}
        await in_thread(hub.stop)
        assert await standing.next() is None

    run(work)


def test_a_log_level_is_the_sessions_or_the_requests(owner: User, assistant: Assistant, talking: Offer) -> None:
    talking(complain)

    async def work() -> None:
        session_id = await in_thread(session_with, assistant)
        level = {"level": "warning"}
        await in_thread(assistant.request, "logging/setLevel", level, {"mcp-session-id": session_id})
        for reader in (
            await stream(assistant, session_id, "talk"),
            await stateless_stream(assistant, "talk", **{LOG_LEVEL: "warning"}),
        ):
            told, last = await all_of(reader)
            assert told.message["params"] == {"level": "warning", "logger": "ownsona", "data": "Not all is well"}
            assert text_of(last.message) == "done"

    run(work)


@pytest.mark.parametrize("work", [count_to_three, complain])
def test_who_asks_for_nothing_or_reads_no_stream_gets_json(
    owner: User, assistant: Assistant, talking: Offer, work: Callable[[Caller], None]
) -> None:
    talking(work)
    session_id = session_with(assistant)
    params = {"name": "talk", "_meta": {"progressToken": 1}}
    for response in (
        call(assistant, session_id, "talk"),
        assistant.request("tools/call", params, {"mcp-session-id": session_id}),
        assistant.request("tools/call", params, {"accept": "application/json"}),
        ask(assistant, "tools/call", {"name": "talk"}, meta={"progressToken": 1, LOG_LEVEL: "debug"}),
    ):
        assert response.headers["Content-Type"] == "application/json"
        assert text_of(response.json()) == "done"


def test_a_call_that_tells_nothing_is_answered_by_json_with_its_own_status(owner: User, assistant: Assistant) -> None:
    session_id = session_with(assistant)
    response = call(assistant, session_id, "ping", progressToken=1)
    assert response.json()["result"]["structuredContent"]["ok"] is True
    reader = Assistant.of(owner, scopes="memory:read")
    response = call(reader, session_with(reader), "remember", progressToken=1)
    assert response.status_code == 403
    assert 'error="insufficient_scope"' in response.headers["WWW-Authenticate"]
    response = ask(assistant, "tools/call", {"name": "nothing"}, meta={"progressToken": 1}, headers=dict(BOTH))
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32602)
    assert hub.listeners() == []


@pytest.mark.parametrize("tool", ["recall", "remember"])
def test_a_call_with_nothing_to_tell_runs_where_its_request_was_read(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    monkeypatch.setattr(post_stream, "PendingCall", None)
    arguments = {"query": "dogs"} if tool == "recall" else {"text": "My dog is called Mochi"}
    response = ask(
        assistant, "tools/call", {"name": tool, "arguments": arguments}, meta={"progressToken": 1}, headers=dict(BOTH)
    )
    assert response.json()["result"]["isError"] is False


def test_a_call_that_is_silent_for_long_becomes_a_stream(
    owner: User, assistant: Assistant, talking: Offer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(post_stream, "STREAM_AFTER_SECONDS", 0.05)
    has_begun = threading.Event()

    def be_slow(caller: Caller) -> None:
        assert has_begun.wait(LIMIT_SECONDS)

    talking(be_slow)

    async def work() -> None:
        reader = await stateless_stream(assistant, "talk", progressToken=1)
        has_begun.set()
        (last,) = await all_of(reader)
        assert text_of(last.message) == "done"

    run(work)


class Endless:
    """Work that runs until it is stopped or `is_enough` is set, in a transaction with a change."""

    def __init__(self, owner: User) -> None:
        self.owner = owner
        self.is_enough = threading.Event()

    def __call__(self, caller: Caller) -> None:
        with transaction.atomic():
            OwnPrompt.objects.create(owner=self.owner, name="half", messages=[])
            for step in range(round(LIMIT_SECONDS / STEP_SECONDS)):
                caller.notifier.progress(step)
                if self.is_enough.wait(STEP_SECONDS):
                    break
            caller.notifier.progress(step + 1)


def test_a_client_that_cancels_stops_the_work_and_gets_no_answer(
    owner: User, assistant: Assistant, talking: Offer
) -> None:
    endless = Endless(owner)
    talking(endless)

    async def work() -> None:
        session_id = await in_thread(session_with, assistant)
        reader = await stream(assistant, session_id, "talk", progressToken=1, request_id=5)
        assert (await reader.event()).method == "notifications/progress"
        await in_thread(send, assistant, session_id, method="notifications/cancelled", params={"requestId": 5})
        assert {event.method for event in await all_of(reader)} <= {"notifications/progress"}
        assert await in_thread(results) == ["cancelled"]
        assert await in_thread(OwnPrompt.objects.count) == 0

    run(work)


def test_an_app_that_is_cut_off_ends_what_runs(owner: User, assistant: Assistant, talking: Offer) -> None:
    talking(Endless(owner))

    async def work() -> None:
        reader = await stateless_stream(assistant, "talk", progressToken=1)
        await reader.event()
        await in_thread(Connection.objects.all().delete)
        *_, last = await all_of(reader)
        assert last.message["error"]["data"]["reason"] == "invalid_token"
        assert await in_thread(results) == ["invalid_token"]
        assert await in_thread(OwnPrompt.objects.count) == 0

    run(work)


def is_stopped(caller: Caller) -> bool:
    try:
        caller.notifier.raise_if_stopped()
    except RpcError:
        return True
    return False


def test_who_is_cut_off_meanwhile_is_not_told_the_result(owner: User, assistant: Assistant, talking: Offer) -> None:
    def lose_permission(caller: Caller) -> None:
        caller.notifier.progress(0)
        Connection.objects.all().delete()
        assert eventually(lambda: is_stopped(caller))

    talking(lose_permission)

    async def work() -> None:
        *_, last = await all_of(await stateless_stream(assistant, "talk", progressToken=1))
        assert last.message["error"]["data"]["reason"] == "invalid_token"

    run(work)


@pytest.mark.parametrize(("era", "ends"), [("stateless", ("cancelled", 0)), ("handshake", ("ok", 1))])
def test_a_client_that_leaves_stops_the_work_in_the_stateless_era_alone(
    owner: User, assistant: Assistant, talking: Offer, era: str, ends: tuple[str, int]
) -> None:
    result, kept = ends
    endless = Endless(owner)
    talking(endless)

    async def work() -> None:
        if era == "stateless":
            reader = await stateless_stream(assistant, "talk", progressToken=1)
        else:
            reader = await stream(assistant, await in_thread(session_with, assistant), "talk", progressToken=1)
        await reader.event()
        await reader.close()
        endless.is_enough.set()
        assert await in_thread(eventually, lambda: results() == [result])
        assert await in_thread(OwnPrompt.objects.count) == kept
        assert await in_thread(eventually, lambda: hub.listeners() == [])

    run(work)


def test_threads_and_connections_do_not_grow_with_the_calls(owner: User, assistant: Assistant, talking: Offer) -> None:
    talking(count_to_three)

    def told(count: int) -> None:
        async def work() -> None:
            for _ in range(count):
                await all_of(await stateless_stream(assistant, "talk", progressToken=1))

        run(work)

    def held() -> tuple[set[str], int]:
        """Return the names of call threads, and the number of connections to this database."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
            (connections,) = cursor.fetchone() or (0,)
        return {thread.name for thread in threading.enumerate() if thread.name.startswith("call")}, connections

    def grew() -> bool:
        names, connections = held()
        return not names <= before[0] or connections > before[1]

    told(8)
    before = held()
    told(40)
    # A connection that was idle for long may have been closed meanwhile.
    assert eventually(lambda: not grew())


def test_an_unexpected_failure_ends_the_stream_with_an_error(owner: User, assistant: Assistant, talking: Offer) -> None:
    def fail(caller: Caller) -> None:
        caller.notifier.progress(1)
        raise RuntimeError("the reason stays here")

    talking(fail)

    async def work() -> Any:
        reader = await stateless_stream(assistant, "talk", progressToken=1)
        _, last = await all_of(reader)
        assert last.message["error"]["code"] == -32603
        assert "reason stays" not in str(last.message)

    run(work)
