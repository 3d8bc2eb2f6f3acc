"""Tests of HTTP+SSE, the transport of 2024-11-05: messages arrive by POST, and all responses go to one stream."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from mcpapi.calls.caller import Caller
from mcpapi.catalog import Catalog
from mcpapi.methods import tools
from mcpapi.models import OutgoingMessage, ServerRequest, Session
from mcpapi.rpc.suspension import publish
from mcpapi.state.sse_mailbox import remove_abandoned_sessions
from mcpapi.subscriptions import hub as hub_module
from mcpapi.subscriptions.hub import hub
from oauthserver.models import Connection, User
from tests.support.factories import Assistant, make_memory, make_user
from tests.support.mcp.event_reader import EventReader, in_thread, run
from tests.support.mcp.handshake_client import INITIALIZE
from tests.support.mcp.interactive_tools import AskingTool, NotifyingTool, accepted_input
from tests.support.mcp.stateless_client import META
from tests.support.mcp.streamed_calls import EVERYTHING, text_of
from tests.support.processes import eventually


@dataclass
class OldClient:
    """A client with an open stream."""

    assistant: Assistant
    reader: EventReader
    message_url: str

    @classmethod
    async def connected(cls, assistant: Assistant) -> Self:
        reader = EventReader(await in_thread(get, assistant))
        first = await reader.raw()
        assert first["event"] == "endpoint"
        return cls(assistant, reader, first["data"])

    async def send(self, method: str, params: Any = None, **more: Any) -> None:
        """Send a message, which must be accepted."""
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}, **more}
        response = await in_thread(post, self.assistant, self.message_url, message)
        assert (response.status_code, response.content) == (202, b"Accepted")

    async def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request and return the next message."""
        await self.send(method, params, id=1)
        return (await self.reader.event()).message

    async def greet(self, version: str = "2024-11-05") -> dict[str, Any]:
        return await self.ask("initialize", {**INITIALIZE, "protocolVersion": version, "capabilities": EVERYTHING})

    async def leave(self) -> None:
        """Close the stream, and check that nothing is left of it."""
        await self.reader.close()
        assert await in_thread(eventually, lambda: hub.listeners() == [])
        assert await in_thread(lambda: (Session.objects.count(), OutgoingMessage.objects.count())) == (0, 0)


def bearer(assistant: Assistant) -> dict[str, str]:
    return {"authorization": f"Bearer {assistant.token}"}


def get(assistant: Assistant, **headers: str) -> Any:
    """Return the response to the GET that opens a stream."""
    return assistant.client.get("/mcp/sse", headers={**bearer(assistant), **headers})


def post(assistant: Assistant, url: str, message: Any, **headers: str) -> Any:
    sent = {**bearer(assistant), **headers}
    return assistant.client.post(url, message, content_type="application/json", headers=sent)


def test_all_is_answered_on_the_stream(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        client = await OldClient.connected(assistant)
        assert client.reader.response.headers["X-Accel-Buffering"] == "no"
        assert urlsplit(client.message_url).path == "/mcp/sse/message"
        assert len(parse_qs(urlsplit(client.message_url).query)["session_id"][0]) > 40
        greeting = await client.greet()
        assert greeting["result"]["protocolVersion"] == "2024-11-05"
        assert "title" not in greeting["result"]["serverInfo"]
        await client.send("notifications/initialized")
        called = await client.ask("tools/call", {"name": "ping", "arguments": {"message": "Hello"}})
        assert "Hello" in text_of(called)
        # 2024-11-05 has no structured content. The revision of the session applies.
        assert "structuredContent" not in called["result"]
        assert (await client.ask("no/such/method"))["error"]["code"] == -32601
        await client.leave()

    run(work)


def test_initialize_agrees_on_the_revision_of_the_same_session(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        client = await OldClient.connected(assistant)
        assert (await client.greet("2025-11-25"))["result"]["protocolVersion"] == "2025-11-25"
        called = await client.ask("tools/call", {"name": "ping"})
        assert called["result"]["structuredContent"]["ok"] is True
        assert await in_thread(Session.objects.count) == 1
        await client.leave()

    run(work)


def test_what_is_no_message_is_answered_on_the_stream_too(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        client = await OldClient.connected(assistant)
        for body, code in ((b"{", -32700), (b"[]", -32600), (b'{"jsonrpc": "1.0"}', -32600)):
            assert (await in_thread(post, assistant, client.message_url, body)).status_code == 202
            assert (await client.reader.event()).message["error"]["code"] == code
        await client.leave()

    run(work)


def test_the_stateless_era_is_not_spoken_there(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        client = await OldClient.connected(assistant)
        assert (await client.ask("server/discover", {"_meta": META}))["error"]["code"] == -32601
        assert (await client.ask("subscriptions/listen", {"_meta": META}))["error"]["code"] == -32601
        await client.leave()

    run(work)


def test_changes_are_told_on_the_same_stream(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        client = await OldClient.connected(assistant)
        await client.greet()
        assert (await client.ask("resources/subscribe", {"uri": "ownsona://stats"}))["result"] == {}
        await in_thread(make_memory, owner, "My dog is called Mochi")
        told = [await client.reader.event() for _ in range(2)]
        assert [each.method for each in told] == [
            "notifications/resources/list_changed",
            "notifications/resources/updated",
        ]
        await client.leave()

    run(work)


def test_questions_and_progress_come_on_the_stream(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    talker = NotifyingTool(lambda caller: caller.notifier.progress(3, 3))
    monkeypatch.setattr(tools, "catalog", lambda: Catalog(tools=(AskingTool(), talker)))

    async def work() -> None:
        client = await OldClient.connected(assistant)
        await client.greet()
        name = await client.ask("tools/call", {"name": "greet"})
        assert name["method"] == "elicitation/create"
        await in_thread(
            post, assistant, client.message_url, {"jsonrpc": "2.0", "id": name["id"], "result": accepted_input("Alice")}
        )
        colour = (await client.reader.event()).message
        await in_thread(
            post,
            assistant,
            client.message_url,
            {"jsonrpc": "2.0", "id": colour["id"], "result": accepted_input("blue")},
        )
        assert text_of((await client.reader.event()).message) == "Alice blue"
        told = await client.ask("tools/call", {"name": "talk", "_meta": {"progressToken": "t"}})
        assert told["params"] == {"progressToken": "t", "progress": 3, "total": 3}
        assert text_of((await client.reader.event()).message) == "done"
        await client.leave()

    run(work)


def test_a_client_that_leaves_takes_its_questions_along(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "catalog", lambda: Catalog(tools=(AskingTool(),)))

    async def work() -> None:
        client = await OldClient.connected(assistant)
        await client.greet()
        assert (await client.ask("tools/call", {"name": "greet"}))["method"] == "elicitation/create"
        await client.leave()
        assert await in_thread(ServerRequest.objects.count) == 0

    run(work)


def test_nobody_else_can_send_in_its_name(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        client = await OldClient.connected(assistant)
        stranger = await in_thread(lambda: Assistant.of(make_user()))
        other_app = await in_thread(Assistant.of, owner)
        ping = {"jsonrpc": "2.0", "id": 9, "method": "ping"}
        for other in (stranger, other_app):
            assert (await in_thread(post, other, client.message_url, ping)).status_code == 404
        nobody = await in_thread(assistant.client.post, client.message_url, ping, content_type="application/json")
        assert nobody.status_code == 401
        assert nobody.headers["WWW-Authenticate"].count("oauth-protected-resource/mcp/sse") == 1
        assert (await client.ask("ping"))["id"] == 1
        await client.leave()

    run(work)


@pytest.mark.parametrize("session_id", ["", "x", "x" * 43, "%00", "%ff"])
def test_a_session_that_there_is_not_is_not_found(owner: User, assistant: Assistant, session_id: str) -> None:
    ping = {"jsonrpc": "2.0", "id": 9, "method": "ping"}
    response = post(assistant, f"/mcp/sse/message?session_id={session_id}", ping)
    assert (response.status_code, response.json()["error"]["data"]["reason"]) == (404, "session_not_found")


def test_a_session_of_streamable_http_has_no_such_stream(owner: User, assistant: Assistant) -> None:
    session_id = assistant.request("initialize", INITIALIZE)["Mcp-Session-Id"]
    ping = {"jsonrpc": "2.0", "id": 9, "method": "ping"}
    assert post(assistant, f"/mcp/sse/message?session_id={session_id}", ping).status_code == 404
    assert OutgoingMessage.objects.count() == 0


def test_its_session_opens_nothing_at_the_endpoint_of_today(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        client = await OldClient.connected(assistant)
        await client.greet()
        there = {"mcp-session-id": parse_qs(urlsplit(client.message_url).query)["session_id"][0]}
        refused = [
            await in_thread(assistant.request, "ping", {}, there),
            await in_thread(lambda: assistant.client.get("/mcp", headers={**bearer(assistant), **there})),
            await in_thread(lambda: assistant.client.delete("/mcp", headers={**bearer(assistant), **there})),
        ]
        assert [response.status_code for response in refused] == [404, 404, 404]
        assert (await client.ask("ping"))["id"] == 1
        await client.leave()

    run(work)


def test_a_session_whose_stream_went_with_its_process_ends(owner: User, assistant: Assistant) -> None:
    for number, age in enumerate((timedelta(), timedelta(minutes=5))):
        session = Session.objects.create(
            id_hash=bytes([number]) * 32, owner=owner, client_id="x", protocol_version="2024-11-05", over_sse=True
        )
        OutgoingMessage.objects.create(session=session, content=b"{}", kept_at=timezone.now() - age)
    remove_abandoned_sessions()
    assert [bytes(session.pk) for session in Session.objects.all()] == [b"\0" * 32]


def test_messages_to_a_stream_that_nobody_sends_end_its_session(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        client = await OldClient.connected(assistant)
        session = await in_thread(Session.objects.get)
        long_ago = timezone.now() - timedelta(minutes=5)
        await in_thread(lambda: OutgoingMessage.objects.create(session=session, content=b"{}", kept_at=long_ago))
        ping = {"jsonrpc": "2.0", "id": 9, "method": "ping"}
        assert (await in_thread(post, assistant, client.message_url, ping)).status_code == 404
        assert await client.reader.next() is None
        await client.leave()

    run(work)


def test_a_stream_ends_with_its_token(owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "CHECK_SECONDS", 0.1)

    async def work() -> None:
        client = await OldClient.connected(assistant)
        await in_thread(Connection.objects.all().delete)
        assert await client.reader.next() is None
        assert hub.listeners() == []

    run(work)


def test_answers_do_not_wait_for_news_to_gather(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "BATCH_SECONDS", 3600.0)

    async def work() -> None:
        client = await OldClient.connected(assistant)
        assert (await client.ask("ping"))["result"] == {}
        await client.leave()
        hub.stop()
        await in_thread(publish, "so that the thread sees that it is stopped")

    run(work)


def test_an_answer_is_sent_though_the_connection_broke_while_the_call_ran(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose_connection(caller: Caller) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
        connection.connection.close()

    monkeypatch.setattr(tools, "catalog", lambda: Catalog(tools=(NotifyingTool(lose_connection),)))

    async def work() -> None:
        client = await OldClient.connected(assistant)
        await client.greet()
        called = await client.ask("tools/call", {"name": "talk", "_meta": {"progressToken": 1}})
        assert text_of(called) == "done"
        await client.leave()

    run(work)


def test_streams_of_an_app_are_counted(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        with override_settings(MCP_MAX_STREAMS=1):
            client = await OldClient.connected(assistant)
            assert (await in_thread(get, assistant)).status_code == 429
        await client.leave()

    run(work)


def test_the_door_is_the_same_as_at_the_endpoint_of_today(owner: User, assistant: Assistant) -> None:
    evil = {"origin": "https://evil.example"}
    assert get(assistant, **evil).status_code == 403
    assert post(assistant, "/mcp/sse/message?session_id=x", {}, **evil).status_code == 403
    assert get(assistant, host="evil.example").status_code == 400
    assert assistant.client.get("/mcp/sse").status_code == 401
    # Clients try the newer transport first. For them, this status means that the server has only the old one.
    refused = post(assistant, "/mcp/sse", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE})
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, OPTIONS")
    assert assistant.client.options("/mcp/sse/message").status_code == 204
    assert get(assistant, origin="http://localhost:5173").headers["Access-Control-Allow-Origin"]
