"""Tests of the stateless era over HTTP (MCP 2026-07-28)."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from mcpapi.eras.request_meta import CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION, SERVER_INFO
from mcpapi.models import Session
from oauthserver.models import User
from tests.support.factories import Assistant
from tests.support.mcp.handshake_client import assert_error, session_of
from tests.support.mcp.stateless_client import META, VERSION, ask

HEADERS = {"mcp-protocol-version": VERSION, "mcp-method": "server/discover"}


def test_a_server_tells_what_it_speaks_and_offers(assistant: Assistant) -> None:
    result = ask(assistant, "server/discover").json()["result"]
    assert result["supportedVersions"] == [VERSION]
    assert set(result["capabilities"]) == {"tools", "resources", "prompts", "completions", "logging"}
    assert result["resultType"] == "complete"
    assert "recall" in result["instructions"]
    assert (result["ttlMs"] > 0, result["cacheScope"]) == (True, "public")


def test_every_result_says_who_answers_and_that_it_is_complete(assistant: Assistant) -> None:
    for method, params in (("server/discover", {}), ("tools/list", {}), ("tools/call", {"name": "ping"})):
        result = ask(assistant, method, params).json()["result"]
        assert result["resultType"] == "complete"
        assert result["_meta"][SERVER_INFO]["name"] == "ownsona"


def test_lists_say_how_long_they_may_be_kept_and_calls_do_not(assistant: Assistant) -> None:
    listed = ask(assistant, "tools/list").json()["result"]
    assert (isinstance(listed["ttlMs"], int), listed["cacheScope"]) == (True, "private")
    assert "ttlMs" not in ask(assistant, "tools/call", {"name": "ping"}).json()["result"]


def test_a_tool_answers_as_in_the_newest_handshake_revision(assistant: Assistant) -> None:
    result = ask(assistant, "tools/call", {"name": "ping", "arguments": {"message": "hi"}}).json()["result"]
    assert result["structuredContent"]["message"] == "hi"
    assert result["isError"] is False
    tool = ask(assistant, "tools/list").json()["result"]["tools"][0]
    assert {"title", "outputSchema", "annotations"} <= set(tool)


def test_a_failure_of_a_tool_is_a_complete_result(assistant: Assistant) -> None:
    result = ask(assistant, "tools/call", {"name": "get_memory", "arguments": {"id": 1}}).json()["result"]
    assert (result["isError"], result["resultType"]) == (True, "complete")


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({}, "_meta"),
        ({"_meta": None}, "_meta"),
        ({"_meta": []}, "_meta"),
        ({"_meta": {CLIENT_CAPABILITIES: {}}}, PROTOCOL_VERSION),
        ({"_meta": {**META, PROTOCOL_VERSION: 5}}, PROTOCOL_VERSION),
        ({"_meta": {PROTOCOL_VERSION: VERSION}}, CLIENT_CAPABILITIES),
        ({"_meta": {**META, CLIENT_CAPABILITIES: []}}, CLIENT_CAPABILITIES),
        ({"_meta": {**META, CLIENT_INFO: "me"}}, CLIENT_INFO),
        ({"_meta": {**META, LOG_LEVEL: "loud"}}, LOG_LEVEL),
        ({"_meta": {**META, LOG_LEVEL: []}}, LOG_LEVEL),
    ],
)
def test_a_request_without_its_meta_fields_gets_400_and_their_name(
    assistant: Assistant, params: dict[str, Any], named: str
) -> None:
    error = assert_error(assistant.request("server/discover", params, HEADERS), 400, -32602, "invalid_params")
    assert named in error["message"]


def test_a_client_need_not_say_who_it_is(assistant: Assistant) -> None:
    meta = {key: value for key, value in META.items() if key != CLIENT_INFO}
    assert assistant.request("server/discover", {"_meta": meta}, HEADERS).status_code == 200


@pytest.mark.parametrize(
    ("method", "params", "headers", "header"),
    [
        ("tools/list", {}, {"mcp-protocol-version": None}, "MCP-Protocol-Version"),
        ("tools/list", {}, {"mcp-protocol-version": "2025-11-25"}, "MCP-Protocol-Version"),
        ("tools/list", {}, {"mcp-method": None}, "Mcp-Method"),
        ("tools/list", {}, {"mcp-method": "prompts/list"}, "Mcp-Method"),
        ("tools/list", {}, {"mcp-method": "TOOLS/LIST"}, "Mcp-Method"),
        ("tools/list", {}, {"mcp-method": "=?base64?dG9vbHMvbGlzdA==?="}, "Mcp-Method"),
        ("tools/call", {"name": "ping"}, {"mcp-name": None}, "Mcp-Name"),
        ("tools/call", {"name": "ping"}, {"mcp-name": "recall"}, "Mcp-Name"),
        ("tools/call", {"name": "ping"}, {"mcp-name": "=?base64?cGlu?="}, "Mcp-Name"),
        ("tools/call", {"name": "ping"}, {"mcp-name": "=?base64?cGluZw=?="}, "Mcp-Name"),
        ("tools/call", {"name": "ping"}, {"mcp-name": "=?base64?cGlu!Zw==?="}, "Mcp-Name"),
        ("tools/call", {"name": "ping"}, {"mcp-name": "=?base64?/w==?="}, "Mcp-Name"),
        ("tools/call", {"name": "ping"}, {"mcp-name": "pi\u00f1g"}, "Mcp-Name"),
        ("prompts/get", {"name": "x"}, {"mcp-name": None}, "Mcp-Name"),
        ("resources/read", {"uri": "ownsona://memory/1"}, {"mcp-name": None}, "Mcp-Name"),
    ],
)
def test_a_header_that_is_missing_or_lies_gets_400(
    assistant: Assistant, method: str, params: dict[str, Any], headers: dict[str, str | None], header: str
) -> None:
    error = assert_error(ask(assistant, method, params, headers=headers), 400, -32020, "header_mismatch")
    assert header in error["message"]
    assert error["data"]["header"] == header


def test_an_encoded_name_is_the_name(assistant: Assistant) -> None:
    headers: dict[str, str | None] = {"mcp-name": "=?base64?cGluZw==?="}
    assert ask(assistant, "tools/call", {"name": "ping"}, headers=headers).status_code == 200


def test_a_revision_that_is_not_spoken_gets_400_and_those_that_are(assistant: Assistant) -> None:
    for version in ("2027-01-01", "2025-11-25", "v999.0.0"):
        response = ask(
            assistant, "tools/list", meta={PROTOCOL_VERSION: version}, headers={"mcp-protocol-version": version}
        )
        error = assert_error(response, 400, -32022, "unsupported_version")
        assert error["data"]["requested"] == version
        assert error["data"]["supported"] == [VERSION]


@pytest.mark.parametrize(
    "method",
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "no/such", "", "ö"],
)
def test_a_method_that_is_not_there_gets_404(assistant: Assistant, method: str) -> None:
    encoded = {"mcp-method": method} if method.isascii() else {}
    response = ask(assistant, method, headers={**encoded})
    if method.isascii():
        assert_error(response, 404, -32601, "method_not_found")
    else:
        assert_error(response, 400, -32020, "header_mismatch")
    assert response.json()["id"] == 1


def test_wrong_parameters_get_400(assistant: Assistant) -> None:
    for params in ({"name": "no_such_tool"}, {"name": "ping", "arguments": []}, {}):
        assert_error(ask(assistant, "tools/call", params), 400, -32602, "invalid_params")


@pytest.mark.parametrize("body", [b"{", b'{"jsonrpc":"2.0","id":{},"method":"x"}', b"[]", b'[{"jsonrpc":"2.0"}]'])
def test_an_id_that_cannot_be_read_is_absent(assistant: Assistant, body: bytes) -> None:
    response = assistant.post(body, {"mcp-protocol-version": VERSION})
    assert response.status_code == 400
    assert set(response.json()) == {"jsonrpc", "error"}


def test_there_are_no_batches_and_no_replies(assistant: Assistant) -> None:
    headers = {"mcp-protocol-version": VERSION}
    for body in ([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}], {"jsonrpc": "2.0", "id": 1, "result": {}}):
        assert_error(assistant.post(body, headers), 400, -32600, "invalid_request")


def test_a_notification_is_accepted_whatever_it_says_of_itself(assistant: Assistant) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    response = assistant.post(message, {"mcp-protocol-version": VERSION})
    assert (response.status_code, response.content) == (202, b"")


def test_sessions_are_neither_needed_nor_looked_at_nor_made(assistant: Assistant, settings: Settings) -> None:
    settings.MCP_REQUIRE_SESSION = True
    session_id = session_of(assistant)
    for header in ("made up", session_id):
        response = ask(assistant, "tools/list", headers={"mcp-session-id": header})
        assert response.status_code == 200
        assert "Mcp-Session-Id" not in response
    assert Session.objects.count() == 1


def test_a_missing_scope_gets_the_same_403_as_ever(owner: User) -> None:
    assistant = Assistant.of(owner, "memory:read")
    response = ask(assistant, "tools/call", {"name": "remember", "arguments": {"text": "x y"}})
    assert_error(response, 403, -32000, "insufficient_scope")
    assert 'scope="memory:write"' in response["WWW-Authenticate"]


def test_the_meta_of_a_stateless_client_decides_without_any_header(assistant: Assistant) -> None:
    response = assistant.request("tools/list", {"_meta": META})
    assert_error(response, 400, -32020, "header_mismatch")


def test_other_keys_of_meta_decide_nothing(assistant: Assistant) -> None:
    response = assistant.request("tools/list", {"_meta": {"progressToken": 1, "io.modelcontextprotocol/related": {}}})
    assert response.status_code == 200
    assert "resultType" not in response.json()["result"]


@pytest.mark.django_db(transaction=True)
def test_a_stateless_call_takes_one_query_more_than_its_tool(
    assistant: Assistant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ask(assistant, "tools/list")
    with django_assert_num_queries(1):
        assert ask(assistant, "tools/call", {"name": "ping"}).status_code == 200
