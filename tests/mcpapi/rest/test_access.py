"""Tests of access to the REST API, of its refusals, and of its lines in the activity log."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from mcpapi.models import AuditLine
from mcpapi.observability.audit import audit_lines
from memories.models import Memory
from memories.writing import remembering
from oauthserver.connections.failure_log import pending_failures
from oauthserver.models import Connection, FailedHandshake, User
from tests.support.factories import HOST, make_app, make_memory
from tests.support.mcp.rest_client import RestClient, assert_refused

PATHS = [
    ("GET", "/tools/list"),
    ("GET", "/tools/sources"),
    ("POST", "/tools/search"),
    ("POST", "/tools/get"),
    ("POST", "/tools/recall"),
    ("GET", "/agents/list"),
    ("POST", "/agents/x/prompt"),
    ("GET", "/tools/a/b"),
]


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.django_db
def test_without_a_token_the_answer_says_where_to_get_one(method: str, path: str) -> None:
    response = Client().generic(method, path, headers={"host": HOST})
    assert_refused(response, 401, "missing_token")
    challenge = response["WWW-Authenticate"]
    assert f'resource_metadata="http://{HOST}/.well-known/oauth-protected-resource"' in challenge
    assert "error=" not in challenge


def test_the_document_that_the_challenge_points_to_names_what_holds_the_path() -> None:
    document = Client().get("/.well-known/oauth-protected-resource", headers={"host": HOST}).json()
    assert f"http://{HOST}/tools/list".startswith(document["resource"])


@pytest.mark.parametrize(
    ("header", "code"),
    [("Basic abc", "invalid_format"), ("Bearer", "invalid_format"), ("Bearer x.y.z", "invalid_token")],
)
@pytest.mark.django_db
def test_a_wrong_token_is_told_what_is_wrong_with_it(header: str, code: str) -> None:
    response = Client().get("/tools/list", headers={"host": HOST, "authorization": header})
    assert_refused(response, 401, code)
    assert 'error="invalid_token"' in response["WWW-Authenticate"]


def test_a_login_in_the_browser_is_no_way_in(owner: User) -> None:
    browser = Client(headers={"host": HOST})
    browser.force_login(owner)
    response = browser.post("/tools/remember", {"text": "x y"}, content_type="application/json")
    assert_refused(response, 401, "missing_token")
    assert not Memory.objects.exists()


def test_a_missing_scope_is_named_so_that_a_client_can_ask_for_it(owner: User) -> None:
    response = RestClient.of(owner, "memory:read").ask("/tools/remember", text="x y")
    error = assert_refused(response, 403, "insufficient_scope")
    assert error["required_scope"] == "memory:write"
    assert 'error="insufficient_scope"' in response["WWW-Authenticate"]
    assert 'scope="memory:write"' in response["WWW-Authenticate"]
    assert not Memory.objects.exists()
    assert_refused(RestClient.of(owner, "memory:write").send("GET", "/tools/sources"), 403, "insufficient_scope")


def test_a_paused_app_stays_outside(owner: User) -> None:
    app = make_app()
    program = RestClient.of(owner, app=app)
    Connection.objects.filter(application=app).update(paused_at="2026-01-01T00:00:00Z")
    assert_refused(program.ask("/tools/ping"), 403, "app_paused")


def test_the_owners_list_of_tools_holds_here_too(owner: User) -> None:
    app = make_app()
    program = RestClient.of(owner, app=app)
    memory = make_memory(owner, "I like tea")
    Connection.objects.filter(application=app).update(tools=["recall"])
    assert program.post("/tools/recall", query="tea")["result"]["matches"]
    for path, arguments in (
        ("/tools/get_memory", {"id": memory.pk}),
        ("/tools/search", {"query": "tea"}),
        ("/tools/get", {"id": memory.pk}),
    ):
        assert_refused(program.ask(path, **arguments), 403, "tool_not_allowed")


def test_a_limited_app_sees_its_tags_only(owner: User) -> None:
    memory = make_memory(owner, "My dog is called Mochi", tags=("pets",))
    limited = RestClient.of(owner, tags=("work",))
    assert limited.post("/tools/search", query="dog")["results"] == []
    assert_refused(limited.ask("/tools/get", id=memory.pk), 404, "not_found")
    assert limited.get("/tools/sources")["sources"][0]["notes"] == "Active memories: 0."


def test_the_rate_limit_is_the_same_as_that_of_mcp(program: RestClient, settings: Settings) -> None:
    settings.MCP_RATE_LIMIT_PER_MINUTE = 2
    assert program.client.post(
        "/mcp",
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        content_type="application/json",
        headers={"authorization": f"Bearer {program.token}"},
    ).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    program.get("/tools/list")
    response = program.ask("/tools/ping")
    error = assert_refused(response, 429, "rate_limited")
    assert int(response["Retry-After"]) == error["retry_after_seconds"] >= 1


# --- HTTP


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("GET", "/tools/search", "POST"), ("POST", "/tools/list", "GET"), ("DELETE", "/tools/ping", "POST")],
)
def test_another_http_method_is_told_which_are_allowed(
    program: RestClient, method: str, path: str, allowed: str
) -> None:
    response = program.send(method, path)
    assert_refused(response, 405, "method_not_allowed")
    assert allowed in response["Allow"]


def test_head_is_answered_as_get_without_the_content(program: RestClient) -> None:
    response = program.send("HEAD", "/tools/list")
    assert (response.status_code, response.content) == (200, b"")
    assert int(response["Content-Length"]) > 1000


@pytest.mark.parametrize("path", ["/tools/no_such_tool", "/tools/" + "x" * 5000, "/tools/a%00b", "/tools/%F0%9F%98%80"])
def test_an_unknown_tool_is_not_found(program: RestClient, path: str) -> None:
    error = assert_refused(program.send("POST", path, b"{}"), 404, "not_found")
    assert len(error["message"]) < 250


@pytest.mark.parametrize("path", ["/tools", "/tools/", "/tools/a/b", "/agents", "/agents/x", "/agents/x/y"])
def test_a_path_that_is_not_there_is_not_found(program: RestClient, path: str) -> None:
    assert_refused(program.send("GET", path), 404, "not_found")


@pytest.mark.parametrize(
    "body", [b"{", b"\xff", b'{"text": NaN}', b'{"text": "\\ud800"}', b"[" * 60, b"[]", b'"x"', b"null", b"5"]
)
def test_a_body_that_is_no_json_object_gets_400(program: RestClient, body: bytes) -> None:
    assert_refused(program.send("POST", "/tools/remember", body), 400, "bad_request")
    assert not Memory.objects.exists()


@pytest.mark.parametrize("body", [b"[" * 65, b"[" * 100_000, b'{"a":[' + b"[]," * 10_000 + b"1]}"])
def test_a_body_that_is_nested_too_deeply_or_too_dense_is_refused(program: RestClient, body: bytes) -> None:
    assert_refused(program.send("POST", "/tools/remember", body), 413, "request_too_complex")


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", ""])
def test_a_body_of_another_type_gets_415(program: RestClient, content_type: str) -> None:
    response = program.send("POST", "/tools/remember", b'{"text": "x y"}', content_type)
    error = assert_refused(response, 415, "unsupported_media_type")
    assert "application/json" in error["message"]
    assert not Memory.objects.exists()


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "*/*", "nonsense"])
def test_the_answer_is_json_whatever_is_accepted(program: RestClient, accept: str) -> None:
    response = program.send("GET", "/agents/list", accept=accept)
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")


def test_no_cache_keeps_an_answer(program: RestClient) -> None:
    assert program.send("GET", "/tools/sources")["Cache-Control"] == "no-store"


def test_a_charset_may_be_named(program: RestClient) -> None:
    response = program.send("POST", "/tools/ping", '{"message": "ö"}'.encode(), "application/json; charset=utf-8")
    assert response.json()["result"]["message"] == "ö"


def test_a_body_that_no_call_can_need_is_refused_unread(program: RestClient) -> None:
    response = program.send("POST", "/tools/ping", b"{}", content_length=str(50_000_000))
    assert_refused(response, 413, "request_too_large")


# --- Web pages


@pytest.mark.parametrize("origin", ["http://localhost:6274", f"http://{HOST}"])
def test_pages_that_may_call_can_ask_first_and_read_the_answer(program: RestClient, origin: str) -> None:
    asked = Client().options("/tools/search", headers={"host": HOST, "origin": origin})
    assert asked.status_code == 204
    assert "Authorization" in asked["Access-Control-Allow-Headers"]
    assert "POST" in asked["Access-Control-Allow-Methods"]
    for response in (
        asked,
        program.send("GET", "/agents/list", origin=origin),
        program.send("GET", "/tools", origin=origin),
    ):
        assert response["Access-Control-Allow-Origin"] == origin
        assert "WWW-Authenticate" in response["Access-Control-Expose-Headers"]
        assert "Origin" in response["Vary"]
        assert "Access-Control-Allow-Credentials" not in response


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example"])
@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
def test_pages_from_elsewhere_are_refused(program: RestClient, method: str, origin: str) -> None:
    response = program.send(method, "/agents/list", origin=origin)
    assert_refused(response, 403, "origin_not_allowed")
    assert "Access-Control-Allow-Origin" not in response


# --- Errors of tools


@pytest.mark.parametrize(
    ("path", "arguments", "status", "code"),
    [
        ("/tools/remember", {"text": ""}, 400, "INVALID_INPUT"),
        ("/tools/remember", {"text": "my key is AKIA" + "A" * 16}, 400, "SECRET_REJECTED"),
        ("/tools/get_memory", {"id": 10**9}, 404, "NOT_FOUND"),
        ("/tools/remember", {"text": "x" * 16_001}, 413, "LIMIT_EXCEEDED"),
    ],
)
def test_a_failure_has_the_status_that_fits_its_code(
    program: RestClient, path: str, arguments: dict[str, Any], status: int, code: str
) -> None:
    error = assert_refused(program.ask(path, **arguments), status, code)
    assert "AKIA" not in error["message"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(DatabaseError("secret detail"), 503, "DATABASE_ERROR"), (RuntimeError("secret detail"), 500, "INTERNAL_ERROR")],
)
def test_the_text_of_an_unexpected_error_stays_inside(
    program: RestClient, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, code: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(remembering, "remember", fail)
    told = assert_refused(program.ask("/tools/remember", text="x y"), status, code)
    assert "secret detail" not in told["message"]


def test_what_fails_outside_of_a_tool_is_json_too(program: RestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("mcpapi.rest.views.listed_tools", fail)
    told = assert_refused(program.send("GET", "/tools/list"), 500, "internal")
    assert "secret detail" not in told["message"]


@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(["query", "limit", "filters", "id", "text", "x"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
            max_leaves=8,
        ),
    ),
    st.sampled_from(["search", "get", "recall", "get_memory", "text_search"]),
)
def test_no_arguments_make_the_server_fail(program: RestClient, arguments: object, tool: str) -> None:
    body = json.dumps(arguments).encode("utf-8", "surrogatepass")
    response = program.send("POST", f"/tools/{tool}", body)
    assert response.status_code in {200, 400, 404, 413}, response.content
    assert isinstance(response.json(), dict)


# --- The activity log


def test_each_call_leaves_a_line_as_at_mcp(program: RestClient, owner: User) -> None:
    memory = make_memory(owner, "My dog is called Mochi")
    program.post("/tools/recall", query="dog")
    program.post("/tools/search", query="dog")
    program.post("/tools/get", id=memory.pk)
    program.get("/tools/list")
    program.get("/tools/sources")
    program.ask("/tools/get_memory", id=10**9)
    program.ask("/tools/no_such_tool")
    program.ask("/agents/x/prompt")
    program.send("GET", "/tools/a/b")
    audit_lines.flush()
    kept = list(AuditLine.objects.order_by("id"))
    assert {line.protocol_version for line in kept} == {"REST"}
    assert [(line.method, line.tool, line.result, line.memory_ids) for line in kept] == [
        ("tools/call", "recall", "ok", [memory.pk]),
        ("tools/call", "search", "ok", [memory.pk]),
        ("tools/call", "fetch", "ok", [memory.pk]),
        ("tools/list", "", "ok", []),
        ("tools/sources", "", "ok", []),
        ("tools/call", "get_memory", "NOT_FOUND", []),
        ("tools/call", "(unknown)", "not_found", []),
        ("agents/prompt", "", "not_found", []),
        ("(unknown)", "", "not_found", []),
    ]


def test_a_refused_program_is_recorded_for_the_owner(owner: User) -> None:
    RestClient("x.y.z").ask("/tools/ping")
    pending_failures.flush()
    assert FailedHandshake.objects.get().reason == "invalid_token"
