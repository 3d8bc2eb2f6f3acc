"""Tests of a client that has started the server, in both eras (MCP 2026-07-28, basic/transports/stdio)."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import pytest
from pytest_django import Settings

from common.scopes import READ
from mcpapi.execution.call_execution import SUBSCRIPTION_ID
from mcpapi.execution.dispatch import handle_message
from mcpapi.execution.responses import RpcResponse
from mcpapi.models import AuditLine, Session
from mcpapi.observability.audit import audit_lines
from mcpapi.stdio import server as stdio
from mcpapi.subscriptions.hub import Listener, hub
from memories.models import Memory
from oauthserver.models import User
from tests.support.factories import make_memory
from tests.support.line_client import LIMIT_SECONDS, MODERN_META
from tests.support.mcp.stdio_client import StdioClient, principal_for


def test_a_handshake_client_begins_the_session_that_all_its_messages_belong_to(client: StdioClient) -> None:
    assert client.initialize("2024-11-05")["protocolVersion"] == "2024-11-05"
    assert "structuredContent" not in client.answer_to("tools/call", name="ping", arguments={})["result"]
    assert client.answer_to("logging/setLevel", level="warning")["result"] == {}
    assert [session.log_level for session in Session.objects.all()] == ["warning"]


def test_what_is_sent_right_behind_initialize_belongs_to_its_session(client: StdioClient) -> None:
    params = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
    client.send("initialize", params, request_id=1)
    client.send("tools/call", {"name": "ping", "arguments": {}}, request_id=2)
    assert [client.message()["id"], "structuredContent" in client.message()["result"]] == [1, False]


def test_a_second_initialize_takes_the_place_of_the_first(client: StdioClient) -> None:
    client.initialize("2024-11-05")
    client.initialize("2025-06-18")
    assert "structuredContent" in client.answer_to("tools/call", name="ping", arguments={})["result"]
    assert [session.protocol_version for session in Session.objects.all()] == ["2025-06-18"]


def test_a_stateless_client_needs_no_session(client: StdioClient) -> None:
    assert client.request_stateless("server/discover")["result"]["supportedVersions"] == ["2026-07-28"]
    called = client.request_stateless("tools/call", name="remember", arguments={"text": "My dog is called Mochi"})[
        "result"
    ]
    assert called["resultType"] == "complete"
    assert [memory.text for memory in Memory.objects.all()] == ["My dog is called Mochi"]
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"nonsense", -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', -32700),
        (b"[]", -32600),
        (b"1", -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
        (b'{"id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602),
        (b"[" * 5000, -32600),
        (b"[" * 60, -32700),
        (b"\x00", -32700),
    ],
)
def test_a_line_that_is_no_message_is_refused_and_the_next_one_is_answered(
    client: StdioClient, line: bytes, code: int
) -> None:
    client.send_line(line)
    assert client.message()["error"]["code"] == code
    assert client.answer_to("ping")["result"] == {}


def test_a_line_over_the_limit_is_refused_and_the_next_one_is_answered(owner: User, settings: Settings) -> None:
    settings.MAX_TEXT_CHARS, settings.MAX_BATCH_SIZE = 100, 1
    client = StdioClient(principal_for(owner))
    client.send_line(b" " * 2_000_000)
    assert client.message()["error"]["data"]["reason"] == "request_too_large"
    client.send_line(b"")
    assert client.answer_to("ping")["result"] == {}
    client.hang_up()


def test_a_slow_call_holds_up_nobody_and_is_finished_after_the_client_has_said_all(
    client: StdioClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def slowly(*arguments: Any) -> RpcResponse:
        assert b"tools/call" not in arguments[2] or go_on.wait(LIMIT_SECONDS)
        return handle_message(*arguments)

    monkeypatch.setattr(stdio, "handle_message", slowly)
    client.send("tools/call", {"name": "ping", "arguments": {}}, request_id="slow")
    assert client.answer_to("ping")["result"] == {}
    hanging_up = threading.Thread(target=client.hang_up)
    hanging_up.start()
    go_on.set()
    assert client.message()["id"] == "slow"
    assert client.next() is None
    hanging_up.join()


def test_large_lines_are_response_one_after_the_other_and_hold_up_nothing_before_them(
    client: StdioClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once, most, lock = 0, 0, threading.Lock()

    def counted(*arguments: Any) -> RpcResponse:
        nonlocal at_once, most
        is_large = len(arguments[2]) > 256_000
        with lock:
            at_once += is_large
            most = max(most, at_once)
        response = handle_message(*arguments)
        with lock:
            at_once -= is_large
        return response

    monkeypatch.setattr(stdio, "handle_message", counted)
    large = {"name": "remember_batch", "arguments": {"items": [{"text": "x" * 15_000}] * 20}}
    for number in range(6):
        client.send("tools/call", large, request_id=number)
    assert sorted(client.message()["id"] for _ in range(6)) == list(range(6))
    assert most == 1
    assert client.answer_to("ping")["result"] == {}


def test_dense_json_in_a_line_is_refused_and_the_next_one_is_response(client: StdioClient) -> None:
    client.send_line(b"[" + b"[]," * 1_000_000 + b"0]")
    assert client.message()["error"]["data"]["reason"] == "request_too_complex"
    assert client.answer_to("ping")["result"] == {}


def test_a_cancelled_request_gets_no_answer(client: StdioClient, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly(*arguments: Any) -> RpcResponse:
        if b"tools/call" in arguments[2]:
            begun.set()
            assert go_on.wait(LIMIT_SECONDS)
        return handle_message(*arguments)

    monkeypatch.setattr(stdio, "handle_message", slowly)
    client.send("tools/call", {"name": "ping", "arguments": {}}, request_id=7)
    assert begun.wait(LIMIT_SECONDS)
    client.send("notifications/cancelled", {"requestId": 7})
    # Lines are read in order, so the cancellation has been read before.
    assert client.answer_to("ping")["result"] == {}
    go_on.set()
    client.hang_up()
    assert client.next() is None


@pytest.mark.parametrize("params", [{}, {"requestId": None}, {"requestId": [7]}, {"requestId": "unknown"}])
def test_an_odd_cancellation_is_ignored(client: StdioClient, params: dict[str, Any]) -> None:
    client.send("notifications/cancelled", params)
    assert client.answer_to("ping")["result"] == {}


def test_a_notification_in_a_session_that_is_over_gets_nothing(client: StdioClient) -> None:
    client.initialize()
    assert client.answer_to("ping")["result"] == {}
    Session.objects.all().delete()
    client.send("notifications/initialized")
    assert client.answer_to("ping")["error"]["data"]["reason"] == "session_not_found"


def test_a_session_hears_what_it_subscribed_to_and_of_changed_lists(owner: User, client: StdioClient) -> None:
    client.initialize()
    client.answer_to("resources/subscribe", uri="ownsona://stats")
    make_memory(owner, "My dog is called Mochi")
    told = [client.message(), client.message()]
    assert [each["method"] for each in told] == [
        "notifications/resources/list_changed",
        "notifications/resources/updated",
    ]
    assert told[1]["params"]["uri"] == "ownsona://stats"


def test_a_stateless_client_hears_of_what_it_asked_for_until_it_cancels(owner: User, client: StdioClient) -> None:
    asked = {"notifications": {"resourcesListChanged": True}, "_meta": MODERN_META}
    client.send("subscriptions/listen", asked, request_id="a")
    client.send("subscriptions/listen", asked, request_id="b")
    acknowledged = {client.message()["params"]["_meta"][SUBSCRIPTION_ID] for _ in range(2)}
    assert acknowledged == {"a", "b"}
    client.send("notifications/cancelled", {"requestId": "a"})
    assert client.request_stateless("server/discover")["result"]
    make_memory(owner, "My dog is called Mochi")
    told = client.message()
    assert (told["method"], told["params"]["_meta"]) == (
        "notifications/resources/list_changed",
        {SUBSCRIPTION_ID: "b"},
    )
    client.hang_up()
    farewell = client.message()
    assert (farewell["id"], farewell["result"]["resultType"]) == ("b", "complete")
    assert client.next() is None


def test_a_stream_is_acknowledged_only_when_it_receives_changes(
    owner: User, client: StdioClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    joins = hub.join

    def join_late(listener: Listener) -> None:
        time.sleep(1.0)
        joins(listener)

    monkeypatch.setattr(hub, "join", join_late)
    asked = {"notifications": {"resourcesListChanged": True}, "_meta": MODERN_META}
    client.send("subscriptions/listen", asked, request_id=1)
    assert client.message()["method"] == "notifications/subscriptions/acknowledged"
    make_memory(owner, "My dog is called Mochi")
    assert client.message()["method"] == "notifications/resources/list_changed"


def test_a_stream_too_many_is_refused(client: StdioClient, settings: Settings) -> None:
    settings.MCP_MAX_STREAMS = 1
    client.send("subscriptions/listen", {"notifications": {}, "_meta": MODERN_META}, request_id=1)
    assert client.message()["method"] == "notifications/subscriptions/acknowledged"
    refused = client.request_stateless("subscriptions/listen", notifications={})
    assert refused["error"]["data"]["reason"] == "too_many_streams"


def test_a_stream_that_cannot_be_opened_is_answered_with_an_error(
    client: StdioClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("nothing can be heard")

    monkeypatch.setattr(hub, "join", fail)
    client.send("subscriptions/listen", {"notifications": {}, "_meta": MODERN_META}, request_id=1)
    refused = client.message()
    assert (refused["id"], refused["error"]["code"]) == (1, -32603)
    assert client.answer_to("ping")["result"] == {}


def test_nothing_is_left_when_the_client_has_hung_up(client: StdioClient) -> None:
    client.initialize()
    client.send("subscriptions/listen", {"notifications": {}, "_meta": MODERN_META}, request_id=1)
    assert client.message()["method"] == "notifications/subscriptions/acknowledged"
    client.hang_up()
    assert hub.listeners() == []
    assert not Session.objects.exists()


def test_a_client_that_reads_no_more_is_noticed(client: StdioClient) -> None:
    os.close(client._reads_from)
    client.send("ping", request_id=1)
    assert client.left.wait(LIMIT_SECONDS)


def test_the_owner_has_no_rate_limit_and_every_call_is_in_the_record(client: StdioClient, settings: Settings) -> None:
    settings.MCP_RATE_LIMIT_PER_MINUTE = 1
    for _ in range(3):
        assert client.call("ping")["ok"]
    client.hang_up()
    audit_lines.flush()
    assert [(line.client_name, line.tool, line.result) for line in AuditLine.objects.all()] == [
        ("stdio", "ping", "ok")
    ] * 3


def test_it_can_be_limited_to_reading_and_to_some_tags(owner: User) -> None:
    make_memory(owner, "My dog is called Mochi", tags=["family"])
    make_memory(owner, "I like Python", tags=["software"])
    client = StdioClient(principal_for(owner, READ, tags=("software",)))
    assert [memory["text"] for memory in client.call("list_memories")["memories"]] == ["I like Python"]
    refused = client.answer_to("tools/call", name="remember", arguments={"text": "New", "tags": ["software"]})
    assert refused["error"]["data"]["required_scope"] == "memory:write"
    client.hang_up()
