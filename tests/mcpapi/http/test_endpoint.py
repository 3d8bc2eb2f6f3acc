"""Tests of `/mcp` over HTTP: access, and the response to each kind of request."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson
import pytest
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries, Settings

from mcpapi.models import Session
from memories.models import Memory
from oauthserver.models import User
from tests.support.factories import HOST, Assistant, make_access_token, make_app, make_memory, make_user
from tests.support.mcp.handshake_client import INITIALIZE, assert_error, session_of

# --- Access


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (None, "missing_token"),
        ("Basic abc", "invalid_format"),
        ("Bearer", "invalid_format"),
        ("Bearer x.y.z", "invalid_token"),
    ],
)
@pytest.mark.django_db
def test_without_a_valid_token_the_answer_says_where_to_get_one(header: str | None, reason: str) -> None:
    headers = {"host": HOST, **({"authorization": header} if header else {})}
    response = Client().post("/mcp", b"{}", content_type="application/json", headers=headers)
    assert_error(response, 401, -32001, reason)
    assert response.json()["id"] is None
    assert response.json()["error"]["message"] == "Unauthorized"
    challenge = response["WWW-Authenticate"]
    assert challenge.startswith("Bearer ")
    assert f'resource_metadata="http://{HOST}/.well-known/oauth-protected-resource/mcp"' in challenge
    assert ('error="invalid_token"' in challenge) is (reason != "missing_token")


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/http"])
def test_every_name_of_the_endpoint_answers(owner: User, path: str) -> None:
    assistant = Assistant(make_access_token(owner), path=path)
    assert assistant.call("ping", message="hi")["message"] == "hi"


@pytest.mark.parametrize("origin", ["http://localhost:6274", "http://127.0.0.1", "http://[::1]:1", f"http://{HOST}"])
def test_pages_on_this_machine_may_call_and_read(assistant: Assistant, origin: str) -> None:
    response = assistant.request("ping", headers={"origin": origin})
    assert response.status_code == 200
    assert response["Access-Control-Allow-Origin"] == origin
    assert "Mcp-Session-Id" in response["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in response


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://[", ""])
def test_pages_from_elsewhere_are_refused(assistant: Assistant, origin: str) -> None:
    response = assistant.request("ping", headers={"origin": origin})
    assert_error(response, 403, -32600, "origin_not_allowed")
    assert "Access-Control-Allow-Origin" not in response


def test_the_owner_can_allow_an_origin(assistant: Assistant, settings: Settings) -> None:
    settings.ALLOWED_ORIGINS = ["https://inspector.example"]
    assert assistant.request("ping", headers={"origin": "https://inspector.example"}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8000", "a b"])
def test_a_foreign_host_name_is_refused(assistant: Assistant, host: str) -> None:
    assert_error(assistant.request("ping", headers={"host": host}), 400, -32600, "unknown_host")


def test_a_browser_may_ask_first_without_a_token() -> None:
    response = Client().options("/mcp", headers={"host": HOST, "origin": "http://localhost:6274"})
    assert response.status_code == 204
    assert "Authorization" in response["Access-Control-Allow-Headers"]
    assert "POST" in response["Access-Control-Allow-Methods"]
    assert response["Access-Control-Allow-Origin"] == "http://localhost:6274"


def test_errors_can_be_read_by_allowed_pages() -> None:
    response = Client().post("/mcp", headers={"host": HOST, "origin": "http://localhost:6274"})
    assert response.status_code == 401
    assert response["Access-Control-Allow-Origin"] == "http://localhost:6274"
    assert "WWW-Authenticate" in response["Access-Control-Expose-Headers"]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD"])
def test_other_http_methods_are_named_as_not_allowed(method: str) -> None:
    response = Client().generic(method, "/mcp", headers={"host": HOST})
    assert response.status_code == 405
    assert "POST" in response["Allow"]


# --- Messages


@pytest.mark.parametrize(
    ("body", "code", "reason"),
    [
        (b"", -32700, "parse_error"),
        (b"{", -32700, "parse_error"),
        (b'{"a": NaN}', -32700, "parse_error"),
        (b"\xff\xfe", -32700, "parse_error"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', -32700, "parse_error"),
        (b"[" * 60, -32700, "parse_error"),
        (b"[]", -32600, "invalid_request"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "invalid_request"),
        (b'"ping"', -32600, "invalid_request"),
        (b"null", -32600, "invalid_request"),
        (b'{"id":1,"method":"ping"}', -32600, "invalid_request"),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, "invalid_request"),
        (b'{"jsonrpc":"2.0","id":1}', -32600, "invalid_request"),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600, "invalid_request"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, "invalid_request"),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, "invalid_request"),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, "invalid_request"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, "invalid_request"),
    ],
)
def test_a_body_that_is_no_request_gets_400(assistant: Assistant, body: bytes, code: int, reason: str) -> None:
    assert_error(assistant.post(body), 400, code, reason)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 65,
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[' + b"{}," * 10_000 + b"1]}}",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 64 + b"]" * 64 + b"}}",
    ],
)
def test_a_body_that_is_nested_too_deeply_or_too_dense_is_refused(assistant: Assistant, body: bytes) -> None:
    assert_error(assistant.post(body), 413, -32600, "request_too_complex")


@pytest.mark.parametrize("request_id", [1, 0, -7, "a", "", "ö" * 100, 1.0, 2**53])
def test_the_id_comes_back_as_it_was(assistant: Assistant, request_id: object) -> None:
    response = assistant.post({"jsonrpc": "2.0", "id": request_id, "method": "ping"})
    assert response.json() == {"jsonrpc": "2.0", "id": request_id, "result": {}}


def test_an_error_carries_the_id_where_it_can_be_read(assistant: Assistant) -> None:
    assert assistant.post({"id": 7, "method": "ping"}).json()["id"] == 7
    assert assistant.post(b"{").json()["id"] is None


@pytest.mark.parametrize(
    ("method", "params", "code", "reason"),
    [
        ("no/such", {}, -32601, "method_not_found"),
        ("tools/call", {}, -32602, "invalid_params"),
        ("tools/call", {"name": 5}, -32602, "invalid_params"),
        ("tools/call", {"name": "no_such_tool"}, -32602, "invalid_params"),
        ("tools/call", {"name": "ping", "arguments": []}, -32602, "invalid_params"),
        ("tools/list", {"cursor": "x"}, -32602, "invalid_params"),
        ("initialize", {}, -32602, "invalid_params"),
        ("initialize", {"protocolVersion": "2025-11-25", "clientInfo": "me"}, -32602, "invalid_params"),
        ("initialize", {"protocolVersion": "2025-11-25", "clientInfo": {"name": "\x00"}}, -32602, "invalid_params"),
    ],
)
def test_errors_of_a_method_come_on_200(
    assistant: Assistant, method: str, params: dict[str, Any], code: int, reason: str
) -> None:
    assert_error(assistant.request(method, params), 200, code, reason)


def test_params_must_be_an_object(assistant: Assistant) -> None:
    response = assistant.post({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]})
    assert_error(response, 200, -32602, "invalid_params")


def test_notifications_and_replies_are_accepted_without_an_answer(assistant: Assistant) -> None:
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "no/such/notification"},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "remember", "arguments": {"text": "x y"}}},
        {"jsonrpc": "2.0", "id": 5, "result": {}},
    ):
        response = assistant.post(message)
        assert (response.status_code, response.content) == (202, b"")
    assert not Memory.objects.exists()


def test_a_body_that_no_call_can_need_is_refused_unread(assistant: Assistant) -> None:
    response = assistant.client.generic(
        "POST",
        "/mcp",
        b"{}",
        content_type="application/json",
        headers={"authorization": f"Bearer {assistant.token}", "content-length": str(50_000_000)},
    )
    assert_error(response, 413, -32600, "request_too_large")


@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
        max_leaves=12,
    ),
    st.sampled_from(["tools/call", "initialize", "tools/list", "ping", "x"]),
)
def test_no_params_make_the_server_fail(assistant: Assistant, params: object, method: str) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode("utf-8", "surrogatepass")
    response = assistant.post(body)
    assert response.status_code in {200, 400}, response.content
    assert response.json()["jsonrpc"] == "2.0"


# --- Sessions and revisions


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_initialize_agrees_on_a_revision_that_both_know(assistant: Assistant, version: str) -> None:
    result = assistant.request("initialize", {**INITIALIZE, "protocolVersion": version}).json()["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "ownsona"
    assert "tools" in result["capabilities"]
    assert "recall" in result["instructions"]


@pytest.mark.parametrize("version", ["0.1.0", "2099-01-01", "2026-07-28"])
def test_initialize_offers_the_newest_revision_for_an_unknown_one(assistant: Assistant, version: str) -> None:
    result = assistant.request("initialize", {**INITIALIZE, "protocolVersion": version}).json()["result"]
    assert result["protocolVersion"] == "2025-11-25"


def test_a_session_is_unpredictable_usable_and_ends(assistant: Assistant) -> None:
    first, second = session_of(assistant), session_of(assistant)
    assert first != second
    assert len(first) >= 32
    assert assistant.request("ping", headers={"mcp-session-id": first}).status_code == 200
    ended = assistant.client.delete(
        "/mcp", headers={"authorization": f"Bearer {assistant.token}", "mcp-session-id": first}
    )
    assert ended.status_code == 204
    assert_error(assistant.request("ping", headers={"mcp-session-id": first}), 404, -32000, "session_not_found")
    assert assistant.request("ping", headers={"mcp-session-id": second}).status_code == 200
    assert not Session.objects.filter(id_hash=first.encode()).exists()


def test_the_id_of_a_session_can_be_sent_in_a_header(assistant: Assistant) -> None:
    assert re.fullmatch(r"[\x21-\x7e]+", session_of(assistant))


@pytest.mark.parametrize("session_id", ["x", "0" * 43, "ö", "a" * 10_000])
def test_an_unknown_session_gets_404(assistant: Assistant, session_id: str) -> None:
    assert_error(assistant.request("ping", headers={"mcp-session-id": session_id}), 404, -32000, "session_not_found")


def test_a_session_belongs_to_its_user_and_app(assistant: Assistant, owner: User) -> None:
    session_id = session_of(assistant)
    other_app = Assistant.of(owner, app=make_app("Other"))
    for thief in (other_app, Assistant.of(make_user())):
        assert_error(thief.request("ping", headers={"mcp-session-id": session_id}), 404, -32000, "session_not_found")


def test_an_idle_session_expires(assistant: Assistant, settings: Settings) -> None:
    session_id = session_of(assistant)
    settings.MCP_SESSION_IDLE_SECONDS = -1
    assert_error(assistant.request("ping", headers={"mcp-session-id": session_id}), 404, -32000, "session_not_found")


def test_deleting_needs_a_session(assistant: Assistant) -> None:
    response = assistant.client.delete("/mcp", headers={"authorization": f"Bearer {assistant.token}"})
    assert_error(response, 400, -32000, "no_session")


def test_sessions_are_optional_unless_required(assistant: Assistant, settings: Settings) -> None:
    assert assistant.call("ping")["ok"]
    settings.MCP_REQUIRE_SESSION = True
    error = assert_error(assistant.request("tools/list"), 400, -32000, "no_session")
    assert error["message"] == "Bad Request: No valid session ID provided"
    session_id = session_of(assistant)
    assert assistant.request("tools/list", headers={"mcp-session-id": session_id}).status_code == 200


@pytest.mark.parametrize("version", ["1.0", "2027-01-01", "x" * 1000])
def test_an_unknown_revision_header_gets_400_and_the_known_ones(assistant: Assistant, version: str) -> None:
    error = assert_error(
        assistant.request("ping", headers={"mcp-protocol-version": version}), 400, -32022, "unsupported_version"
    )
    assert "2025-11-25" in error["data"]["supported"]


def test_an_old_revision_gets_only_what_it_knows(assistant: Assistant) -> None:
    new = assistant.request("tools/list").json()["result"]["tools"][0]
    assert {"title", "outputSchema", "annotations"} <= set(new)
    middle = assistant.request("tools/list", headers={"mcp-protocol-version": "2025-03-26"}).json()["result"]["tools"][
        0
    ]
    assert set(middle) == {"name", "description", "inputSchema", "annotations"}
    session_id = session_of(assistant, "2024-11-05")
    old = assistant.request("tools/list", headers={"mcp-session-id": session_id}).json()["result"]["tools"][0]
    assert set(old) == {"name", "description", "inputSchema"}
    result = assistant.request("tools/call", {"name": "ping"}, headers={"mcp-session-id": session_id}).json()["result"]
    assert "structuredContent" not in result


def test_text_and_structured_content_are_the_same_object(assistant: Assistant) -> None:
    result = assistant.request("tools/call", {"name": "ping", "arguments": {"message": 'ö "x"'}}).json()["result"]
    (block,) = result["content"]
    assert block["type"] == "text"
    assert block["text"].startswith('{"ok":true')
    assert orjson.loads(block["text"]) == result["structuredContent"]
    assert result["isError"] is False


# --- Scopes


@pytest.mark.parametrize(
    ("scopes", "tool", "arguments", "missing"),
    [
        ("memory:read", "remember", {"text": "x y"}, "memory:write"),
        ("memory:write", "recall", {"query": "x"}, "memory:read"),
        ("memory:read memory:write", "export_memories", {}, "memory:admin"),
        ("memory:read memory:write", "forget_batch", {"ids": [1]}, "memory:admin"),
        ("memory:read memory:write", "forget", {"id": 1, "hard_delete": True}, "memory:admin"),
        ("memory:read", "remember", {"nonsense": 1}, "memory:write"),
    ],
)
def test_a_missing_scope_gets_the_403_that_lets_a_client_step_up(
    owner: User, scopes: str, tool: str, arguments: dict[str, Any], missing: str
) -> None:
    assistant = Assistant.of(owner, scopes)
    response = assistant.request("tools/call", {"name": tool, "arguments": arguments})
    assert_error(response, 403, -32000, "insufficient_scope")
    assert f'scope="{missing}"' in response["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in response["WWW-Authenticate"]
    assert not Memory.objects.exists()


def test_a_scope_hides_no_tool(owner: User) -> None:
    shown = Assistant.of(owner, "memory:read memory:write").request("tools/list").json()["result"]["tools"]
    assert "remember" in {tool["name"] for tool in shown}
    assert Assistant.of(owner, "memory:read").request("tools/list").json()["result"]["tools"] == shown


# --- Cost


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("tags", [(), ("home",)], ids=["whole", "limited"])
def test_the_hot_paths_take_few_queries(
    django_assert_num_queries: DjangoAssertNumQueries, tags: tuple[str, ...]
) -> None:
    owner = make_user()
    assistant = Assistant.of(owner, tags=tags)
    make_memory(owner, "My dog is called Mochi", tags=tags)
    assistant.call("recall", query="what a process looks up once")
    # In a limited view, one more query first finds the memories among which the nearest are searched.
    finding_them = int(bool(tags))
    costs: list[tuple[str, dict[str, Any], int]] = [
        ("ping", {}, 1),
        ("recall", {"query": "dog"}, 5 + finding_them),
        ("text_search", {"text": "dog"}, 2),
        ("remember", {"text": "I live in Lyon, in flat 12"}, 4),
        ("remember", {"text": "I live in Lyon, in flat 12"}, 3),
        # Without a number, it is compared with the vectors of the other memories without one.
        ("remember", {"text": "I live in Lyon"}, 5),
        # The seventh query has the vector index checked: more may follow.
        ("remember_batch", {"items": [{"text": f"fact number {n}"} for n in range(50)], "dedup_policy": "insert"}, 7),
        ("remember_batch", {"items": [{"text": f"thing number {n}"} for n in range(9)], "dedup_policy": "insert"}, 6),
        ("list_memories", {}, 2),
        ("memory_stats", {}, 4),
    ]
    for tool, arguments, queries in costs:
        with django_assert_num_queries(queries):
            assert assistant.call(tool, **arguments)["ok"]
