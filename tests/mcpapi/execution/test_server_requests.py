"""Tests of server requests on a call's stream, answered by messages of their own (MCP 2025-11-25, client)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone
from oauth2_provider.models import AccessToken
from pytest_django import DjangoAssertNumQueries

from mcpapi.catalog import Catalog
from mcpapi.methods import tools
from mcpapi.models import AuditLine, ServerRequest, Session
from mcpapi.observability.audit import audit_lines
from mcpapi.rpc.suspension import publish
from mcpapi.state import server_requests
from mcpapi.state.server_requests import delete_old_requests
from mcpapi.subscriptions import hub as hub_module
from mcpapi.subscriptions.hub import hub
from oauthserver.models import User
from tests.support.factories import Assistant, make_user
from tests.support.mcp.event_reader import EventReader, in_thread, run
from tests.support.mcp.interactive_tools import FORM, AskingTool, SamplingTool, accepted_input
from tests.support.mcp.streamed_calls import BOTH, call, reply, send, session_with, stream, text_of


@pytest.fixture(autouse=True)
def curious_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = Catalog(tools=(AskingTool(), SamplingTool()))
    monkeypatch.setattr(tools, "catalog", lambda: offered)


@dataclass(frozen=True)
class Greeting:
    """A call that asks for a name: its session, its stream, and the first server request on it."""

    session_id: str
    reader: EventReader
    first: dict[str, Any]


async def greeting(assistant: Assistant) -> Greeting:
    session_id = await in_thread(session_with, assistant)
    reader = await stream(assistant, session_id, "greet")
    return Greeting(session_id, reader, (await reader.event()).message)


async def ended(reader: EventReader) -> dict[str, Any]:
    """Return the last message of a stream, and check that nothing is left of it."""
    message = (await reader.event()).message
    assert await reader.next() is None
    await reader.close()
    assert hub.listeners() == []
    assert await in_thread(ServerRequest.objects.count) == 0
    return message


def test_a_call_asks_on_its_stream_and_goes_on_with_each_reply(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        asked = await greeting(assistant)
        assert asked.first["method"] == "elicitation/create"
        assert asked.first["params"] == {"message": "Your name?", "requestedSchema": FORM}
        await reply(assistant, asked.session_id, asked.first["id"], accepted_input("Alice"))
        second = (await asked.reader.event()).message
        assert second["params"]["message"] == "Your colour?"
        assert second["id"] != asked.first["id"]
        await reply(assistant, asked.session_id, second["id"], accepted_input("blue"))
        last = await ended(asked.reader)
        assert (last["id"], text_of(last)) == (1, "Alice blue")

    run(work)


def test_several_things_are_asked_at_once_and_answered_in_any_order(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        session_id = await in_thread(session_with, assistant)
        reader = await stream(assistant, session_id, "sample")
        asked = [(await reader.event()).message for _ in range(2)]
        results = {"roots/list": {"roots": []}, "sampling/createMessage": {"content": {"type": "text", "text": "Hi"}}}
        assert {each["method"] for each in asked} == results.keys()
        for each in reversed(asked):
            await reply(assistant, session_id, each["id"], results[each["method"]])
        assert (await ended(reader))["result"]["isError"] is False

    run(work)


def test_only_the_session_that_was_asked_can_reply_and_only_once(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        asked = await greeting(assistant)
        stranger = await in_thread(lambda: Assistant.of(make_user()))
        other_app = await in_thread(Assistant.of, owner)
        for other in (stranger, other_app, assistant):
            await reply(other, await in_thread(session_with, other), asked.first["id"], accepted_input("Mallory"))
        assert (await in_thread(send, stranger, asked.session_id, id=asked.first["id"], result={})).status_code == 404
        await reply(assistant, asked.session_id, asked.first["id"], accepted_input("Alice"))
        await reply(assistant, asked.session_id, asked.first["id"], accepted_input("Mallory"))
        second = (await asked.reader.event()).message
        await reply(assistant, asked.session_id, second["id"], accepted_input("blue"))
        assert text_of(await ended(asked.reader)) == "Alice blue"

    run(work)


@pytest.mark.parametrize("question_id", [7, 1.0, "", "x" * 22, "\u0000" * 22, "x" * 500, None])
def test_a_reply_to_nothing_is_accepted_and_leaves_nothing_behind(
    owner: User, assistant: Assistant, question_id: Any
) -> None:
    session_id = session_with(assistant)
    response = send(assistant, session_id, id=question_id, result={})
    assert (response.status_code, response.content, ServerRequest.objects.count()) == (202, b"", 0)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"error": {"code": -1, "message": "No"}}, "not_answered"),
        ({"result": None}, "invalid_params"),
        ({"result": []}, "invalid_params"),
        ({"result": {"action": "perhaps"}}, "invalid_params"),
    ],
)
def test_an_error_or_nonsense_for_a_reply_ends_the_call(
    owner: User, assistant: Assistant, content: dict[str, Any], reason: str
) -> None:
    async def work() -> None:
        asked = await greeting(assistant)
        assert (await in_thread(send, assistant, asked.session_id, id=asked.first["id"], **content)).status_code == 202
        assert (await ended(asked.reader))["error"]["data"]["reason"] == reason

    run(work)


def test_a_reply_that_is_too_large_is_refused_and_ends_the_call(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_requests, "MAX_REPLY_BYTES", 100)

    async def work() -> None:
        asked = await greeting(assistant)
        response = await in_thread(
            send, assistant, asked.session_id, id=asked.first["id"], result=accepted_input("x" * 100)
        )
        assert response.status_code == 413
        assert (await ended(asked.reader))["error"]["data"]["reason"] == "not_answered"

    run(work)


def test_a_question_that_nobody_answers_ends_the_call_when_its_time_is_over(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        with override_settings(MCP_QUESTION_SECONDS=0.1):
            asked = await greeting(assistant)
            error = (await ended(asked.reader))["error"]
        assert (error["data"]["reason"], error["data"]["details"]) == ("not_answered", "It did not respond in time.")

    run(work)


def test_a_clock_that_goes_back_prolongs_no_wait_for_an_answer(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, now = time.time, timezone.now

    async def work() -> None:
        with override_settings(MCP_QUESTION_SECONDS=2):
            asked = await greeting(assistant)
            monkeypatch.setattr(timezone, "now", lambda: now() - timedelta(days=365))
            monkeypatch.setattr(time, "time", lambda: real() - 365 * 86_400)
            error = (await ended(asked.reader))["error"]
        assert error["data"]["details"] == "It did not respond in time."

    run(work)


def test_a_call_whose_session_ends_goes_on_no_further(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        asked = await greeting(assistant)
        headers = {"authorization": f"Bearer {assistant.token}", "mcp-session-id": asked.session_id}
        assert (await in_thread(assistant.client.delete, assistant.path, headers=headers)).status_code == 204
        assert (await ended(asked.reader))["error"]["data"]["reason"] == "not_answered"

    run(work)


def test_a_call_whose_token_no_longer_stands_goes_on_no_further(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        asked = await greeting(assistant)
        topic = (await in_thread(ServerRequest.objects.get)).topic
        await in_thread(AccessToken.objects.all().delete)
        await in_thread(publish, topic)
        error = (await ended(asked.reader))["error"]
        assert (error["code"], error["data"]["reason"]) == (-32001, "invalid_token")

    run(work)


def test_a_revoked_token_ends_its_call_before_anyone_replies(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "CHECK_SECONDS", 0.1)

    async def work() -> None:
        asked = await greeting(assistant)
        await in_thread(AccessToken.objects.all().delete)
        assert (await ended(asked.reader))["error"]["data"]["reason"] == "invalid_token"

    run(work)


def test_a_client_that_cannot_be_asked_gets_an_error_at_once(owner: User, assistant: Assistant) -> None:
    for session_id in (session_with(assistant, {}), session_with(assistant, {"elicitation": None})):
        error = call(assistant, session_id, "greet").json()["error"]
        assert (error["code"], error["data"]["reason"]) == (-32602, "missing_capability")
    response = assistant.request("tools/call", {"name": "greet"}, {"mcp-session-id": session_with(assistant)})
    assert response.json()["error"]["data"]["reason"] == "missing_capability"
    assert assistant.request("tools/call", {"name": "greet"}, BOTH).json()["error"]["code"] == -32602


def test_a_call_that_asks_leaves_one_line_in_the_record(owner: User, assistant: Assistant) -> None:
    async def work() -> None:
        asked = await greeting(assistant)
        await reply(assistant, asked.session_id, asked.first["id"], accepted_input("Alice"))
        await reply(assistant, asked.session_id, (await asked.reader.event()).message["id"], accepted_input("blue"))
        await ended(asked.reader)
        await in_thread(audit_lines.flush)
        found = await in_thread(lambda: list(AuditLine.objects.values_list("method", "result").order_by("pk")))
        assert found == [("initialize", "ok"), ("tools/call", "ok")]

    run(work)


def test_a_reply_costs_a_statement_besides_that_of_token_and_session(
    owner: User, assistant: Assistant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    session_id = session_with(assistant)
    with django_assert_num_queries(2):
        assert send(assistant, session_id, id="x" * 22, result={}).status_code == 202


def test_questions_of_calls_that_ended_without_a_word_are_removed(owner: User, assistant: Assistant) -> None:
    session_with(assistant)
    session = Session.objects.get()
    for number, age in enumerate((timedelta(), timedelta(days=1))):
        ServerRequest.objects.create(
            id=str(number), session=session, topic="gone", name="x", asked_at=timezone.now() - age
        )
    delete_old_requests()
    assert [question.pk for question in ServerRequest.objects.all()] == ["0"]
