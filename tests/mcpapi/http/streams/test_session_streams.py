"""Tests of the stream that GET opens: its messages, its recipients, and its resumption after a break."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from documents.writing.changing import change_document
from documents.writing.forgetting import forget_document, restore_document
from mcpapi.models import Session
from mcpapi.state.sessions import MAX_SUBSCRIPTIONS
from mcpapi.subscriptions import hub as hub_module
from mcpapi.subscriptions.hub import hub
from memories.writing.lifecycle import forget_memory
from oauthserver.models import Connection, User
from tests.documents.support import make_document
from tests.support.factories import Assistant, actor_for, make_memory, make_user
from tests.support.mcp.event_reader import EventReader, in_thread, run
from tests.support.processes import eventually

UPDATED = "notifications/resources/updated"
LIST_CHANGED = "notifications/resources/list_changed"
DOCUMENTS = "ownsona://documents/"


def session_of(assistant: Assistant, version: str = "2025-11-25") -> dict[str, str]:
    """Begin a session and return its header."""
    response = assistant.request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {}})
    assert response.json()["result"]["capabilities"]["resources"] == {"subscribe": True, "listChanged": True}
    return {"Mcp-Session-Id": response.headers["Mcp-Session-Id"]}


def get(assistant: Assistant, headers: dict[str, str]) -> Any:
    """Return the response to GET."""
    sent = {"authorization": f"Bearer {assistant.token}", "accept": "text/event-stream", **headers}
    return assistant.client.get(assistant.path, headers=sent)


def subscribe(assistant: Assistant, session: dict[str, str], uri: str) -> Any:
    return assistant.request("resources/subscribe", {"uri": uri}, headers=session)


async def opened(assistant: Assistant, headers: dict[str, str]) -> EventReader:
    return EventReader(await in_thread(get, assistant, headers))


def test_a_change_by_anyone_is_told_to_who_subscribed(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        session = await in_thread(session_of, assistant)
        memory = await in_thread(make_memory, owner, "My dog is called Mochi", tags=["pets"])
        for uri in (f"ownsona://memory/{memory.pk}", "ownsona://tags/pets", "ownsona://tags/work"):
            assert (await in_thread(subscribe, assistant, session, uri)).json()["result"] == {}
        reader = await opened(assistant, session)
        assert reader.response.headers["X-Accel-Buffering"] == "no"
        assert reader.response.headers["Cache-Control"] == "no-store"
        await in_thread(forget_memory, actor_for(owner), memory.pk)
        told = [await reader.event() for _ in range(3)]
        assert told[0].method == LIST_CHANGED
        assert [(each.method, each.uri) for each in told[1:]] == [
            (UPDATED, f"ownsona://memory/{memory.pk}"),
            (UPDATED, "ownsona://tags/pets"),
        ]
        assert len({each.event_id for each in told}) == 3
        await reader.close()
        assert hub.listeners() == []

    run(work)


def test_a_subscription_made_later_counts_at_once_and_can_be_ended(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        session = await in_thread(session_of, assistant)
        first = await in_thread(make_memory, owner, "I live in Lyon")
        second = await in_thread(make_memory, owner, "I like green tea")
        reader = await opened(assistant, session)
        uris = [f"ownsona://memory/{memory.pk}" for memory in (first, second)]
        for uri in uris:
            await in_thread(subscribe, assistant, session, uri)
        await in_thread(assistant.request, "resources/unsubscribe", {"uri": uris[0]}, headers=session)
        await in_thread(assistant.call, "update_memory", id=first.pk, importance=0.9)
        await in_thread(assistant.call, "update_memory", id=second.pk, importance=0.9)
        told = await reader.event()
        assert (told.method, told.uri) == (UPDATED, uris[1])
        await reader.close()

    run(work)


def test_nobody_hears_of_what_they_may_not_see(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        stranger = await in_thread(lambda: Assistant.of(make_user("stranger")))
        limited = await in_thread(lambda: Assistant.of(owner, tags=["work"]))
        readers = [await opened(each, await in_thread(session_of, each)) for each in (stranger, limited)]
        await in_thread(make_memory, owner, "My dog is called Mochi", tags=["pets"])
        await in_thread(make_memory, owner, "I work at a bakery", tags=["work"])
        await in_thread(lambda: make_memory(User.objects.get(username="stranger"), "Mine"))
        assert [(await reader.event()).method for reader in readers] == [LIST_CHANGED, LIST_CHANGED]
        await in_thread(hub.stop)
        assert [await reader.next() for reader in readers] == [None, None]

    run(work)


def test_an_import_of_many_is_told_of_in_few_words(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        reader = await opened(assistant, await in_thread(session_of, assistant))
        items = [{"text": f"Fact number {number}"} for number in range(50)]
        await in_thread(assistant.call, "remember_batch", items=items)
        assert (await reader.event()).method == LIST_CHANGED
        await in_thread(hub.stop)
        rest = 0
        while await reader.next() is not None:
            rest += 1
        assert rest < 5

    run(work)


@pytest.mark.parametrize("last_event_id", ["", "nonsense", "fffffffffff-AAAAAAAA-1", "1-AAAAAAAA-1"])
def test_without_a_usable_last_event_everything_or_nothing_is_new(
    owner: User, assistant: Assistant, last_event_id: str
) -> None:
    async def work() -> None:
        headers = {**await in_thread(session_of, assistant), "Last-Event-ID": last_event_id}
        reader = await opened(assistant, headers)
        await in_thread(hub.stop)
        told = await reader.next()
        assert (told is not None and told.method == LIST_CHANGED) is bool(last_event_id)

    run(work)


def test_a_client_that_comes_back_is_told_what_it_has_missed(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcpapi.http.notification_streams.OVERLAP", timedelta(0))

    async def work() -> None:
        session = await in_thread(session_of, assistant)
        untouched = await in_thread(make_memory, owner, "I live in Lyon")
        touched = await in_thread(make_memory, owner, "I like green tea")
        for memory in (untouched, touched):
            await in_thread(subscribe, assistant, session, f"ownsona://memory/{memory.pk}")
        reader = await opened(assistant, session)
        await in_thread(make_memory, owner, "My dog is called Mochi")
        last = await reader.event()
        await reader.close()
        await in_thread(assistant.call, "update_memory", id=touched.pk, importance=0.9)
        assert last.event_id is not None
        reader = await opened(assistant, {**session, "Last-Event-ID": last.event_id})
        told = set[str]()
        while told != {LIST_CHANGED, UPDATED}:
            event = await reader.event()
            told.add(event.method)
            assert event.method == LIST_CHANGED or event.uri == f"ownsona://memory/{touched.pk}"
        await reader.close()

    run(work)


def test_the_newest_stream_of_a_session_takes_the_place_of_the_others(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        session = await in_thread(session_of, assistant)
        first = await opened(assistant, session)
        second = await opened(assistant, session)
        assert await first.next() is None
        await in_thread(make_memory, owner, "My dog is called Mochi")
        assert (await second.event()).method == LIST_CHANGED
        await second.close()

    run(work)


def test_no_two_events_of_a_session_have_the_same_id(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        session = await in_thread(session_of, assistant)
        ids = []
        for number in range(3):
            reader = await opened(assistant, session)
            await in_thread(make_memory, owner, f"Fact number {number}")
            ids.append((await reader.event()).event_id)
            await reader.close()
        assert None not in ids
        assert len(set(ids)) == 3

    run(work)


def test_the_end_of_a_session_ends_its_stream(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        session = await in_thread(session_of, assistant)
        reader = await opened(assistant, session)
        headers = {"authorization": f"Bearer {assistant.token}", **session}
        response = await in_thread(assistant.client.delete, "/mcp", headers=headers)
        assert response.status_code == 204
        assert await reader.next() is None

    run(work)


def test_a_stream_ends_when_its_token_does(owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "CHECK_SECONDS", 0.1)

    async def work() -> None:
        reader = await opened(assistant, await in_thread(session_of, assistant))
        await in_thread(Connection.objects.filter(user=owner).update, paused_at=timezone.now())
        assert await reader.next() is None

    run(work)


def test_when_the_clock_goes_back_streams_hear_that_what_expired_may_hold_again(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [timezone.now()]
    monkeypatch.setattr(hub_module, "CHECK_SECONDS", 0.1)
    monkeypatch.setattr(hub_module, "database_time", lambda: now[0])

    async def work() -> None:
        reader = await opened(assistant, await in_thread(session_of, assistant))
        now[0] -= timedelta(days=365)
        assert LIST_CHANGED in [(await reader.event()).method for _ in range(2)]
        await reader.close()

    run(work)


def test_a_memory_that_expires_by_itself_is_told_of_once(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [timezone.now()]
    monkeypatch.setattr(hub_module, "CHECK_SECONDS", 0.1)
    monkeypatch.setattr(hub_module, "database_time", lambda: now[0])

    async def work() -> None:
        session = await in_thread(session_of, assistant)
        tomorrow = now[0] + timedelta(days=1)
        memory = await in_thread(make_memory, owner, "The office is closed", expires_at=tomorrow)
        for uri in (f"ownsona://memory/{memory.pk}", "ownsona://tags/pets"):
            await in_thread(subscribe, assistant, session, uri)
        reader = await opened(assistant, session)
        now[0] = tomorrow
        told = [await reader.event() for _ in range(2)]
        assert [told[0].method, told[1].method, told[1].uri] == [LIST_CHANGED, UPDATED, f"ownsona://memory/{memory.pk}"]
        now[0] = tomorrow + timedelta(days=1)
        await in_thread(make_memory, owner, "My dog is called Mochi", tags=["pets"])
        rest = [await reader.event() for _ in range(2)]
        assert [rest[0].method, rest[1].uri] == [LIST_CHANGED, "ownsona://tags/pets"]
        await reader.close()

    run(work)


def test_a_stream_that_was_deaf_for_a_while_says_that_all_may_have_changed(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "RECONNECT_SECONDS", 0.01)

    async def work() -> None:
        reader = await opened(assistant, await in_thread(session_of, assistant))
        await in_thread(end_listening_connections)
        assert (await reader.event()).method == LIST_CHANGED
        await reader.close()

    run(work)


def end_listening_connections() -> None:
    from django.db import connection

    def ended() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                " AND (query LIKE 'LISTEN%%' OR application_name LIKE 'ownsona streams%%')"
            )
            return bool(cursor.rowcount >= 1)

    # The connection may still be opening.
    assert eventually(ended)


def test_a_stream_that_cannot_begin_is_not_left_open(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the journal cannot be read")

    monkeypatch.setattr("mcpapi.http.notification_streams.changes_since", fail)
    recent = f"{time.time_ns() // 1_000_000:x}-AAAAAAAA-1"
    refused = get(assistant, {"last-event-id": recent})
    assert refused.json()["error"]["code"] == -32603
    assert hub.listeners() == []


@override_settings(MCP_MAX_STREAMS=1)
def test_an_app_holds_only_so_many_streams(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        reader = await opened(assistant, {})
        refused = await in_thread(get, assistant, {})
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "30")
        assert refused.json()["error"]["data"]["reason"] == "too_many_streams"
        other = await opened(await in_thread(Assistant.of, owner), {})
        await reader.close()
        await other.close()

    run(work)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"accept": "application/json"}, 405),
        ({"mcp-protocol-version": "2026-07-28"}, 405),
        ({"mcp-protocol-version": "1999-01-01"}, 400),
        ({"mcp-session-id": "made up"}, 404),
        ({"authorization": ""}, 401),
    ],
)
def test_a_get_that_opens_no_stream_says_why(
    owner: User, assistant: Assistant, headers: dict[str, str], status: int
) -> None:
    assert get(assistant, headers).status_code == status
    assert hub.listeners() == []


def test_a_subscription_needs_a_session_a_resource_and_a_scope(owner: User, assistant: Assistant) -> None:
    session = session_of(assistant)
    uri = "ownsona://memory/"
    assert subscribe(assistant, {}, uri).json()["error"]["code"] == -32000
    assert subscribe(assistant, session, "https://example.com/").json()["error"]["code"] == -32002
    assert subscribe(assistant, session, "x" * 5000).json()["error"]["code"] == -32602
    writer = Assistant.of(owner, scopes="memory:write")
    assert subscribe(writer, session_of(writer), uri).status_code == 403


def test_subscriptions_of_a_session_are_not_without_end(owner: User, assistant: Assistant) -> None:
    session = session_of(assistant)
    Session.objects.update(subscriptions=[f"ownsona://memory/{number}" for number in range(1, MAX_SUBSCRIPTIONS + 1)])
    assert subscribe(assistant, session, "ownsona://memory/1").json()["result"] == {}
    assert subscribe(assistant, session, "ownsona://stats").json()["error"]["code"] == -32602


def test_changes_of_documents_are_told_to_who_subscribed(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        session = await in_thread(session_of, assistant)
        boat = await in_thread(make_document, owner, "The boat.", source_url="https://example.com/boat")
        tea = await in_thread(make_document, owner, "Green tea.")
        uris = [
            DOCUMENTS,
            f"{DOCUMENTS}{boat.pk}",
            f"{DOCUMENTS}{str(boat.pk).upper()}/original",
            f"{DOCUMENTS}{tea.pk}",
        ]
        for uri in [*uris, "ownsona://memory/", "ownsona://tags/sea"]:
            assert (await in_thread(subscribe, assistant, session, uri)).json()["result"] == {}
        reader = await opened(assistant, session)
        await in_thread(change_document, actor_for(owner), boat.pk, title="Our boat")
        assert [(await reader.event()).uri for _ in range(3)] == sorted(uris[:3])
        await in_thread(assistant.call, "forget_document", id=str(boat.pk))
        told = [await reader.event() for _ in range(4)]
        assert told[0].method == LIST_CHANGED
        assert [each.uri for each in told[1:]] == sorted(uris[:3])
        # Added and read in one batch: it has appeared all the same.
        await in_thread(assistant.call, "add_document", text="# Wine", tags=["sea"])
        told = [await reader.event() for _ in range(2)]
        assert [told[0].method, told[1].uri] == [LIST_CHANGED, DOCUMENTS]
        await reader.close()

    run(work)


def test_nobody_hears_of_documents_that_they_may_not_see(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        stranger = await in_thread(lambda: Assistant.of(make_user("stranger")))
        limited = await in_thread(lambda: Assistant.of(owner, tags=["work"]))
        sessions = [await in_thread(session_of, each) for each in (stranger, limited)]
        hidden = await in_thread(make_document, owner, "The boat.", tags=["sea"])
        for each, session in zip((stranger, limited), sessions, strict=True):
            await in_thread(subscribe, each, session, f"{DOCUMENTS}{hidden.pk}")
        readers = [await opened(stranger, sessions[0]), await opened(limited, sessions[1])]
        await in_thread(change_document, actor_for(owner), hidden.pk, title="Our boat")
        await in_thread(lambda: make_document(owner, "Bread.", tags=["work"]))
        await in_thread(lambda: make_document(User.objects.get(username="stranger"), "Mine."))
        assert [(await reader.event()).method for reader in readers] == [LIST_CHANGED, LIST_CHANGED]
        await in_thread(hub.stop)
        assert [await reader.next() for reader in readers] == [None, None]

    run(work)


def test_a_client_that_comes_back_is_told_that_documents_may_have_changed(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        session = await in_thread(session_of, assistant)
        document = await in_thread(make_document, owner, "The boat.")
        for uri in (f"{DOCUMENTS}{document.pk}", "ownsona://stats"):
            await in_thread(subscribe, assistant, session, uri)
        reader = await opened(assistant, session)
        await in_thread(forget_document, actor_for(owner), document.pk)
        last = [await reader.event() for _ in range(2)][-1]
        await reader.close()
        await in_thread(restore_document, actor_for(owner), document.pk)
        assert last.event_id is not None
        reader = await opened(assistant, {**session, "Last-Event-ID": last.event_id})
        told = [await reader.event() for _ in range(2)]
        assert [told[0].method, told[1].uri] == [LIST_CHANGED, f"{DOCUMENTS}{document.pk}"]
        await reader.close()

    run(work)
