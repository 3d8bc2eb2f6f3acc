"""Tests of JSON-RPC batches, which only 2025-03-26 has."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from mcpapi.eras import handshake
from mcpapi.eras.handshake import MAX_BATCH_MESSAGES
from oauthserver.models import User
from tests.support.factories import Assistant
from tests.support.mcp.handshake_client import INITIALIZE, assert_error, session_of

BATCHING = {"mcp-protocol-version": "2025-03-26"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NOTE = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def test_each_request_of_a_batch_gets_its_answer_and_nothing_else_does(assistant: Assistant) -> None:
    batch: list[Any] = [
        PING,
        NOTE,
        {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "ping"}},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such"},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        "nonsense",
        {"jsonrpc": "2.0", "id": 4, "method": 5},
    ]
    response = assistant.post(batch, BATCHING)
    assert response.status_code == 200
    answers = response.json()
    assert [answer["id"] for answer in answers] == [1, "b", 3, None, 4]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, None, -32601, -32600, -32600]
    assert "structuredContent" not in answers[1]["result"]


def test_a_session_of_that_revision_has_batches_too(assistant: Assistant) -> None:
    session = {"mcp-session-id": session_of(assistant, "2025-03-26")}
    assert assistant.post([PING, PING], session).json() == [{"jsonrpc": "2.0", "id": 1, "result": {}}] * 2


def test_a_batch_that_asks_for_nothing_is_accepted_without_an_answer(assistant: Assistant) -> None:
    response = assistant.post([NOTE, {"jsonrpc": "2.0", "id": 9, "result": {}}], BATCHING)
    assert (response.status_code, response.content) == (202, b"")


@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25", None])
def test_other_revisions_have_no_batches(assistant: Assistant, version: str | None) -> None:
    headers = {"mcp-protocol-version": version} if version else {}
    assert_error(assistant.post([PING], headers), 400, -32600, "invalid_request")


@pytest.mark.parametrize(
    "batch",
    [
        [],
        [PING] * (MAX_BATCH_MESSAGES + 1),
        [PING, {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": INITIALIZE}],
    ],
)
def test_an_empty_a_huge_and_a_greeting_batch_are_refused(assistant: Assistant, batch: list[Any]) -> None:
    assert_error(assistant.post(batch, BATCHING), 400, -32600, "invalid_request")


def test_a_missing_scope_is_an_error_of_its_own_request_alone(owner: User) -> None:
    assistant = Assistant.of(owner, "memory:read")
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "remember", "arguments": {}}}
    answers = assistant.post([call, PING], BATCHING).json()
    assert answers[0]["error"]["data"]["reason"] == "insufficient_scope"
    assert answers[1]["result"] == {}


def test_a_batch_that_fails_unexpectedly_says_so_and_no_more(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(principal: object, session_id: str) -> None:
        raise RuntimeError("something private")

    monkeypatch.setattr(handshake, "find_session", fail)
    response = assistant.post([PING], {"mcp-session-id": "x"})
    assert_error(response, 200, -32603, "internal_error")
    assert b"private" not in response.content


@pytest.mark.django_db(transaction=True)
def test_a_batch_asks_once_who_sent_it(assistant: Assistant, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    session = {"mcp-session-id": session_of(assistant, "2025-03-26")}
    with django_assert_num_queries(1):
        assert len(assistant.post([PING] * MAX_BATCH_MESSAGES, session).json()) == MAX_BATCH_MESSAGES
