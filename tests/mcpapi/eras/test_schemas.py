"""Tests that every response, to any request, fits the schema of the request's revision."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mcpapi.eras.request_meta import CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION
from mcpapi.eras.versions import HANDSHAKE_VERSIONS, STATELESS_VERSIONS
from mcpapi.tools import TOOLS
from oauthserver.models import User
from tests.schemas import RESULTS, check_answer
from tests.support.factories import Assistant, make_memory
from tests.support.mcp.handshake_client import INITIALIZE
from tests.support.mcp.stateless_client import ask

STATELESS = STATELESS_VERSIONS[-1]
EVERY_METHOD = [*RESULTS, "ping", "logging/setLevel", "notifications/initialized", "no/such", ""]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("initialize", INITIALIZE),
    ("ping", {}),
    ("server/discover", {}),
    ("tools/list", {}),
    ("tools/call", {"name": "recall", "arguments": {"query": "dog"}}),
    ("tools/call", {"name": "get_memory", "arguments": {"id": 1}}),
    ("tools/call", {"name": "no_such_tool"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "ownsona://stats"}),
    ("resources/read", {"uri": "ownsona://memory/0"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "review-my-memories"}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}}),
]

json_values: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=10,
)
versions = st.sampled_from([*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS, "2099-01-01", ""])
META = {
    PROTOCOL_VERSION: versions | json_values,
    CLIENT_CAPABILITIES: st.just({"elicitation": {}}) | json_values,
    CLIENT_INFO: json_values,
    LOG_LEVEL: st.just("info") | json_values,
}
metas = st.fixed_dictionaries({}, optional={**META, "progressToken": json_values})
ARGUMENT_NAMES = sorted({name for tool in TOOLS for name in tool.args.model_fields})
params = st.fixed_dictionaries(
    {},
    optional={
        "_meta": metas | json_values,
        "name": st.sampled_from([tool.name for tool in TOOLS]) | json_values,
        "arguments": st.dictionaries(st.sampled_from(ARGUMENT_NAMES), json_values, max_size=4) | json_values,
        "uri": st.sampled_from(["ownsona://stats", "ownsona://memory/1", "ownsona://tags/ö%00"]) | json_values,
        "cursor": json_values,
        "ref": st.just({"type": "ref/prompt", "name": "weekly-review"}) | json_values,
        "argument": json_values,
        "protocolVersion": versions | json_values,
        "clientInfo": json_values,
        "level": st.just("info") | json_values,
        "inputResponses": json_values,
        "requestState": json_values,
    },
)
messages = st.fixed_dictionaries(
    {"jsonrpc": st.sampled_from(["2.0", "2.0", "2.0", "1.0"]), "method": st.sampled_from(EVERY_METHOD) | json_values},
    optional={"id": st.integers() | st.text(max_size=20) | json_values, "params": params | params | json_values},
)
bodies = messages | st.lists(messages, max_size=3) | json_values
headers = st.fixed_dictionaries(
    {},
    optional={
        "mcp-protocol-version": versions,
        "mcp-session-id": st.sampled_from(["", "x", "ö"]),
        "mcp-method": st.sampled_from([method for method in EVERY_METHOD if method]),
        "mcp-name": st.sampled_from(["ping", "=?base64?cGluZw==?=", "=?base64?!?=", "ö"]),
    },
)


@pytest.mark.parametrize(("method", "sent"), CALLS, ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.parametrize("revision", HANDSHAKE_VERSIONS)
def test_an_answer_fits_the_schema_of_its_handshake_revision(
    assistant: Assistant, owner: User, revision: str, method: str, sent: dict[str, Any]
) -> None:
    make_memory(owner, "My dog is called Mochi")
    asked = {**sent, "protocolVersion": revision} if method == "initialize" else sent
    answer = assistant.request(method, asked, {"mcp-protocol-version": revision}).json()
    check_answer(revision, method, answer)


@pytest.mark.parametrize(("method", "sent"), CALLS, ids=lambda value: value if isinstance(value, str) else "")
def test_an_answer_fits_the_schema_of_the_stateless_revision(
    assistant: Assistant, owner: User, method: str, sent: dict[str, Any]
) -> None:
    make_memory(owner, "My dog is called Mochi")
    check_answer(STATELESS, method, ask(assistant, method, sent).json())


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(bodies, headers)
def test_whatever_is_sent_gets_an_answer_that_fits_a_schema(
    assistant: Assistant, body: Any, headers: dict[str, str]
) -> None:
    sent = json.dumps(body).encode()
    response = assistant.post(sent, headers)
    assert response.status_code < 500, response.content
    check_response(headers, body, response)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(params, st.sampled_from(EVERY_METHOD[:-3]))
def test_whatever_a_stateless_client_sends_gets_an_answer_that_fits_its_schema(
    assistant: Assistant, sent: dict[str, Any], method: str
) -> None:
    named = sent.get("uri" if method == "resources/read" else "name", "")
    encoded = f"=?base64?{b64encode(str(named).encode()).decode()}?="
    response = ask(assistant, method, {**sent, "_meta": {}}, headers={"mcp-name": encoded})
    assert response.status_code in {200, 400, 404}
    check_answer(STATELESS, method, response.json())


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=200))
def test_whatever_bytes_are_sent_are_refused_or_understood(assistant: Assistant, body: bytes) -> None:
    response = assistant.post(body)
    assert response.status_code in {200, 202, 400}
    check_response({}, None, response)


def check_response(headers: dict[str, str], body: Any, response: Any) -> None:
    """Fail unless the content is empty, or a response in the revision of the request."""
    if response.status_code == 202:
        assert response.content == b""
        return
    revision = revision_of(headers, body)
    content = response.json()
    if not isinstance(content, list):
        check_answer(agreed_or(revision, content), method_of(body), content)
        return
    methods = {json.dumps(message["id"]): method_of(message) for message in body if has_id(message)}
    for answer in content:
        check_answer(revision, methods.get(json.dumps(answer["id"]), ""), answer)


def revision_of(headers: dict[str, str], body: Any) -> str:
    """Return the revision that the first table of docs/protocol.md assigns to a request."""
    named = headers.get("mcp-protocol-version")
    sent = body.get("params") if isinstance(body, dict) else None
    meta = sent.get("_meta") if isinstance(sent, dict) else None
    if named == STATELESS or (isinstance(meta, dict) and meta.keys() & set(META)):
        return STATELESS
    return named if named in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def agreed_or(revision: str, answer: dict[str, Any]) -> str:
    """Return the revision agreed in `initialize`, or `revision`."""
    agreed: str = answer.get("result", {}).get("protocolVersion", revision)
    return agreed


def has_id(message: Any) -> bool:
    return isinstance(message, dict) and "id" in message


def method_of(message: Any) -> str:
    return str(message.get("method")) if isinstance(message, dict) else ""
