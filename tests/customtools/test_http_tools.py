"""Tests of HTTP tools: placeholders, responses, allowed servers and redirects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from customtools.errors import InvalidDefinition
from customtools.storing import ToolDraft, add_tool
from memories.errors import MemoriesError
from oauthserver.models import User
from tests.customtools.local_server import LocalServer, local_server
from tests.customtools.support import allow, logged, make_http_tool, make_secret
from tests.support.factories import Assistant, make_user
from tests.support.mcp.rest_client import RestClient, assert_refused


@pytest.fixture
def server(owner: User) -> Iterator[LocalServer]:
    """A server on this machine, which the owner allows."""
    with local_server() as running:
        allow(owner, running.origin)
        yield running


def problem_of(assistant: Assistant, **arguments: Any) -> str:
    payload = assistant.call("ask_server", **arguments)
    assert not payload["ok"], payload
    message: str = payload["error"]["message"]
    return message


def test_a_request_is_sent_and_a_part_of_the_response_is_returned(
    owner: User, assistant: Assistant, program: RestClient, server: LocalServer
) -> None:
    make_http_tool(
        owner,
        {"url": f"{server.origin}/rooms/{{{{room}}}}?unit={{{{unit}}}}"},
        types={"room": "string", "unit": "string"},
        response={"pointer": "/items/1/state"},
    )
    server.respond("/rooms/hall", {"items": [{"state": 1}, {"state": {"on": True}}]})
    assert assistant.call("ask_server", room="hall", unit="C")["result"] == {"on": True}
    assert program.post("/tools/ask_server", room="hall", unit="C") == {"result": {"on": True}}
    assert [(got.method, got.path) for got in server.received] == [("GET", "/rooms/hall?unit=C")] * 2


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ("a b&c=d#e", "/x/a%20b%26c%3Dd%23e?q=a%20b%26c%3Dd%23e"),
        ("../../admin", "/x/..%2F..%2Fadmin?q=..%2F..%2Fadmin"),
        ("a/b?c", "/x/a%2Fb%3Fc?q=a%2Fb%3Fc"),
        ("ü€", "/x/%C3%BC%E2%82%AC?q=%C3%BC%E2%82%AC"),
        ("{{secret:home_token}}", "/x/%7B%7Bsecret%3Ahome_token%7D%7D?q=%7B%7Bsecret%3Ahome_token%7D%7D"),
        ("x\r\nHost: evil", "/x/x%0D%0AHost%3A%20evil?q=x%0D%0AHost%3A%20evil"),
        ("@evil.example", "/x/%40evil.example?q=%40evil.example"),
    ],
)
def test_values_are_encoded_in_the_url(
    owner: User, assistant: Assistant, server: LocalServer, value: str, sent: str
) -> None:
    make_http_tool(owner, {"url": f"{server.origin}/x/{{{{v}}}}?q={{{{v}}}}"}, types={"v": "string"})
    assert assistant.call("ask_server", v=value)["ok"]
    assert [got.path for got in server.received] == [sent]


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_a_value_cannot_change_the_path(owner: User, assistant: Assistant, server: LocalServer, value: str) -> None:
    make_http_tool(owner, {"url": f"{server.origin}/x/{{{{v}}}}/y"}, types={"v": "string"})
    assert problem_of(assistant, v=value).startswith("v: must not be empty")
    assert not server.received


@pytest.mark.parametrize("value", ["x\r\nX-Evil: 1", "x\ny", "x\ry", "x\x00y", "€"])
def test_a_value_cannot_add_a_header(owner: User, assistant: Assistant, server: LocalServer, value: str) -> None:
    make_http_tool(owner, {"url": server.origin, "headers": {"X-Name": "{{v}}"}}, types={"v": "string"})
    assert problem_of(assistant, v=value).startswith("v: must have no line breaks")
    assert not server.received


def test_values_keep_their_types_in_a_json_body(owner: User, assistant: Assistant, server: LocalServer) -> None:
    body = {"id": "light.{{room}}", "on": "{{on}}", "n": ["{{n}}", 5, "{{missing}}"], "gone": "{{missing}}"}
    types = {"room": "string", "on": "boolean", "n": "integer", "missing": "string"}
    make_http_tool(owner, {"method": "POST", "url": server.origin, "json": body}, types=types)
    assistant.call("ask_server", room='ha"ll\n{{on}}', on=True, n=3)
    (got,) = server.received
    assert (got.method, got.headers["Content-Type"]) == ("POST", "application/json")
    assert json.loads(got.body) == {"id": 'light.ha"ll\n{{on}}', "on": True, "n": [3, 5]}


def test_templates_of_the_server_stay_as_they_are(owner: User, assistant: Assistant, server: LocalServer) -> None:
    body = {"template": "{{ states('sensor.' ~ 'x') }} {% if a %}", "größe": "{{größe}}"}
    make_http_tool(owner, {"method": "POST", "url": server.origin, "json": body}, types={"größe": "integer"})
    assistant.call("ask_server", größe=3)
    (got,) = server.received
    assert json.loads(got.body) == {**body, "größe": 3}


def test_values_are_encoded_in_a_form(owner: User, assistant: Assistant, server: LocalServer) -> None:
    make_http_tool(
        owner, {"method": "PUT", "url": server.origin, "form": {"a": "{{v}}", "b": "1"}}, types={"v": "string"}
    )
    assistant.call("ask_server", v="x&b=2")
    assert server.received[0].body == "a=x%26b%3D2&b=1"
    assert server.received[0].headers["Content-Type"] == "application/x-www-form-urlencoded"


def test_a_secret_is_sent_and_never_returned_or_logged(owner: User, assistant: Assistant, server: LocalServer) -> None:
    make_secret(owner, "home_token", "s3cret/value+1")
    make_http_tool(
        owner,
        {
            "url": f"{server.origin}/x?k={{{{secret:home_token}}}}",
            "headers": {"Authorization": "Bearer {{secret:home_token}}"},
        },
        response={"pointer": ""},
    )
    result = assistant.call("ask_server")["result"]
    assert server.received[0].headers["Authorization"] == "Bearer s3cret/value+1"
    assert server.received[0].path == "/x?k=s3cret%2Fvalue%2B1"
    assert result == {"path": "/x?k=[secret home_token]", "authorization": "Bearer [secret home_token]"}


@pytest.mark.parametrize(
    ("status", "content", "pointer", "said"),
    [
        (500, b"x", None, "The server responded with HTTP status 500."),
        (404, b"x", None, "The server responded with HTTP status 404."),
        (200, b"no json", "", "The response of the server is not JSON."),
        (200, b"[" * 100_000, "", "The response of the server is not JSON."),
        (200, b'{"a": [1]}', "/a/1", "has nothing at /a/1"),
        (200, b'{"a": [1]}', "/b", "has nothing at /b"),
        (200, b"x" * 1_000_001, None, "more than 1000000 bytes"),
    ],
)
def test_a_bad_response_is_a_tool_error(  # noqa: PLR0917 - a table
    owner: User, server: LocalServer, status: int, content: bytes, pointer: str | None, said: str
) -> None:
    response: dict[str, Any] = {} if pointer is None else {"response": {"pointer": pointer}}
    make_http_tool(owner, {"url": f"{server.origin}/x"}, **response)
    server.respond("/x", content, status)
    assert said in problem_of(Assistant.of(owner))
    assert said in assert_refused(RestClient.of(owner).ask("/tools/ask_server"), 500, "tool_error")["message"]
    assert said in logged(owner)[0]


def test_text_is_returned_as_it_is_without_a_pointer(owner: User, assistant: Assistant, server: LocalServer) -> None:
    make_http_tool(owner, {"url": f"{server.origin}/x"})
    server.respond("/x", "grün".encode())
    assert assistant.call("ask_server")["result"] == "grün"


# --- Allowed servers


def test_a_server_that_is_not_allowed_is_not_asked(owner: User, assistant: Assistant) -> None:
    with local_server() as other:
        make_http_tool(owner, {"url": f"{other.origin}/x"})
        assert f"Requests to {other.origin} are not allowed" in problem_of(assistant)
        assert not other.received


def test_the_hosts_of_another_owner_are_not_allowed(owner: User, assistant: Assistant) -> None:
    with local_server() as other:
        allow(make_user(), other.origin)
        make_http_tool(owner, {"url": f"{other.origin}/x"})
        assert "are not allowed" in problem_of(assistant)
        assert not other.received


def test_a_private_address_must_be_declared(owner: User, assistant: Assistant) -> None:
    with local_server() as other:
        allow(owner, other.origin, is_private=False)
        make_http_tool(owner, {"url": f"{other.origin}/x"})
        assert "is not a server on the public internet" in problem_of(assistant)
        assert not other.received


@pytest.mark.parametrize("origin", ["http://169.254.169.254", "http://[fe80::1]", "http://0.0.0.0"])
def test_link_local_addresses_are_never_asked(owner: User, assistant: Assistant, origin: str) -> None:
    allow(owner, origin)
    make_http_tool(owner, {"url": f"{origin}/latest/meta-data"})
    assert "is not a server on the public internet" in problem_of(assistant)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_a_server_that_is_not_allowed_is_not_followed(
    owner: User, assistant: Assistant, server: LocalServer, status: int
) -> None:
    with local_server() as other:
        server.respond("/x", b"", status, Location=f"{other.origin}/y")
        make_http_tool(owner, {"url": f"{server.origin}/x"})
        assert f"Requests to {other.origin} are not allowed" in problem_of(assistant)
        assert not other.received


def test_a_redirect_to_another_allowed_server_carries_no_secret(
    owner: User, assistant: Assistant, server: LocalServer
) -> None:
    make_secret(owner, "home_token", "s3cret-value")
    with local_server() as other:
        allow(owner, other.origin)
        server.respond("/x", b"", 302, Location=f"{other.origin}/y")
        make_http_tool(owner, {"url": f"{server.origin}/x", "headers": {"Authorization": "{{secret:home_token}}"}})
        assert assistant.call("ask_server")["ok"]
        assert "s3cret-value" not in str(other.received)
        assert [got.path for got in other.received] == ["/y"]


def test_a_body_does_not_follow_a_redirect_to_another_server(
    owner: User, assistant: Assistant, server: LocalServer
) -> None:
    with local_server() as other:
        allow(owner, other.origin)
        server.respond("/x", b"", 307, Location=f"{other.origin}/y")
        make_http_tool(owner, {"method": "POST", "url": f"{server.origin}/x", "json": {"a": 1}})
        assert "is not followed" in problem_of(assistant)
        assert not other.received


def test_endless_redirects_end(owner: User, assistant: Assistant, server: LocalServer) -> None:
    server.respond("/x", b"", 302, Location="/x")
    make_http_tool(owner, {"url": f"{server.origin}/x"})
    assert "redirects more than 3 times" in problem_of(assistant)
    assert len(server.received) == 4


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/", "//[", "javascript:alert(1)"])
def test_a_redirect_to_something_else_is_refused(
    owner: User, assistant: Assistant, server: LocalServer, location: str
) -> None:
    server.respond("/x", b"", 302, Location=location)
    make_http_tool(owner, {"url": f"{server.origin}/x"})
    problem_of(assistant)
    assert len(server.received) == 1


def test_a_server_that_does_not_exist_is_a_tool_error(owner: User, program: RestClient) -> None:
    allow(owner, "http://127.0.0.1:9")
    make_http_tool(owner, {"url": "http://127.0.0.1:9/x"})
    assert_refused(program.ask("/tools/ask_server"), 500, "tool_error")


# --- Definitions


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({}, "request.url: is required"),
        ({"url": "{{v}}/x"}, "request.url: must begin with a fixed scheme"),
        ({"url": "http://{{v}}/x"}, "request.url: must begin with a fixed scheme"),
        ({"url": "http://example.com:{{v}}/x"}, "request.url: must begin with a fixed scheme"),
        ({"url": "http://u:p@example.com/x"}, "request.url: must not contain a user name"),
        ({"url": "ftp://example.com/x"}, "request.url: must begin with https"),
        ({"url": "http://example.com/a b"}, "request.url: must have at most"),
        ({"url": "http://example.com/#x"}, "request.url: must not have a fragment"),
        ({"url": "http://example.com/{{w}}"}, "request: {{w}} is not one of the parameters"),
        ({"url": "http://example.com/{{v{{v}}}}"}, "request: has a placeholder inside another"),
        ({"url": "http://example.com/", "json": {"a": ["{{secret:{{v}}}}"]}}, "request: has a placeholder inside"),
        ({"url": "http://example.com/", "text": "{{secret:My Token}}"}, "request: “{{secret:My Token” cannot be read"),
        ({"url": "http://example.com", "headers": {"Host": "x"}}, "request.headers: “Host” cannot be set"),
        ({"url": "http://example.com", "headers": {"Content-Length": "1"}}, "request.headers: “Content-Length” cannot"),
        ({"url": "http://example.com", "headers": {"a b": "x"}}, "request.headers: “a b” cannot be set"),
        ({"url": "http://example.com", "headers": {"a": "x\ny"}}, "request.headers.a: must be a text without"),
        ({"url": "http://example.com", "json": 1, "text": "x"}, "request: can have only one body"),
        ({"url": "http://example.com", "form": {"a": 1}}, "request.form: must be an object with texts"),
        ({"url": "http://example.com", "method": "TRACE"}, "request.method: must be one of"),
        ({"url": "http://example.com", "verify": False}, "request.verify: is not known"),
    ],
)
def test_an_invalid_template_says_what_to_fix(owner: User, request_: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidDefinition) as caught:
        make_http_tool(owner, request_, types={"v": "string"})
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize("source", ["[]", "{", '{"name": NaN}', "[" * 100_000, "null"])
def test_a_template_that_is_no_json_object_is_refused(owner: User, source: str) -> None:
    with pytest.raises(MemoriesError):
        add_tool(owner.pk, ToolDraft("http", source, is_enabled=True))
