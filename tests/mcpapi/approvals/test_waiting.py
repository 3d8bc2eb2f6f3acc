"""Tests of risky calls that wait for the owner's decision and then continue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from mcpapi.approvals.approval_store import approve, reject
from mcpapi.eras.request_meta import CLIENT_CAPABILITIES
from mcpapi.models import Approval
from mcpapi.subscriptions import hub as hub_module
from mcpapi.subscriptions.hub import hub
from memories.models import Memory
from oauthserver.models import Connection, User
from tests.mcpapi.approvals.conftest import hard_delete, must_ask, the_approval
from tests.support.factories import Assistant, make_memory, make_user
from tests.support.mcp.event_reader import EventReader, in_thread, run
from tests.support.mcp.stateless_client import ask
from tests.support.mcp.streamed_calls import BOTH, reply, send, session_with

LIMIT_SECONDS = 30.0
PAGE = Approval.Place.PAGE
FORMS: dict[str, Any] = {"elicitation": {}}
YES = {"action": "accept", "content": {"approve": True}}


@pytest.fixture
def owner(transactional_db: None) -> Iterator[User]:
    """An owner whose decisions are committed, so that they are published."""
    yield make_user("owner")
    hub.stop(LIMIT_SECONDS)


@pytest.fixture
def memory(owner: User) -> Memory:
    return make_memory(owner, "The cat is called Mimi.")


def post(assistant: Assistant, session_id: str, memory: Memory) -> Any:
    call = {"name": "forget", "arguments": hard_delete(memory)}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return assistant.post(message, {**BOTH, "mcp-session-id": session_id})


async def stream(assistant: Assistant, session_id: str, memory: Memory) -> EventReader:
    """Call a hard delete of the memory in a session. Return the call's stream."""
    return EventReader(await in_thread(post, assistant, session_id, memory))


async def waiting(assistant: Assistant, memory: Memory, era: str) -> EventReader:
    """Call a hard delete of the memory as a client that cannot show a form. Return the call's stream."""
    if era == "handshake":
        return await stream(assistant, await in_thread(session_with, assistant, {}), memory)
    params = {"name": "forget", "arguments": hard_delete(memory)}
    return EventReader(
        await in_thread(ask, assistant, "tools/call", params, meta={CLIENT_CAPABILITIES: {}}, headers=dict(BOTH))
    )


async def answer_on(reader: EventReader) -> Mapping[str, Any]:
    """Return the payload of the result, and check that the stream and all listeners have ended."""
    payload: Mapping[str, Any] = (await reader.event()).message["result"]["structuredContent"]
    assert await reader.next() is None
    assert hub.listeners() == []
    return payload


def is_there(memory: Memory) -> bool:
    return Memory.objects.filter(pk=memory.pk).exists()


either_era = pytest.mark.parametrize("era", ["handshake", "stateless"])


@either_era
def test_a_call_that_waits_is_carried_out_when_it_is_approved(assistant: Assistant, memory: Memory, era: str) -> None:
    async def work() -> None:
        reader = await waiting(assistant, memory, era)
        assert await in_thread(is_there, memory)
        await in_thread(lambda: approve(the_approval(), PAGE))
        assert (await answer_on(reader))["message"] == "Hard deleted"

    run(work)
    assert not is_there(memory)
    assert the_approval().state == "used"


@either_era
def test_a_call_that_waits_is_refused_when_it_is_rejected(assistant: Assistant, memory: Memory, era: str) -> None:
    async def work() -> None:
        reader = await waiting(assistant, memory, era)
        await in_thread(lambda: reject(the_approval(), PAGE))
        assert (await answer_on(reader))["error"]["code"] == "APPROVAL_REJECTED"

    run(work)
    assert is_there(memory)


@either_era
def test_a_call_waits_only_so_long(assistant: Assistant, memory: Memory, era: str, settings: Settings) -> None:
    settings.APPROVAL_WAIT_SECONDS = 1

    async def work() -> None:
        reader = await waiting(assistant, memory, era)
        assert (await answer_on(reader))["error"]["code"] == "APPROVAL_TIMED_OUT"

    run(work)
    assert is_there(memory)
    assert the_approval().state == "asked"


@either_era
def test_a_clock_that_goes_back_prolongs_no_wait(
    assistant: Assistant, memory: Memory, era: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.APPROVAL_WAIT_SECONDS = 2
    now = timezone.now

    async def work() -> None:
        reader = await waiting(assistant, memory, era)
        monkeypatch.setattr(timezone, "now", lambda: now() - timedelta(days=365))
        assert (await answer_on(reader))["error"]["code"] == "APPROVAL_TIMED_OUT"

    run(work)
    assert is_there(memory)


def test_without_a_time_to_wait_the_answer_comes_at_once(
    assistant: Assistant, memory: Memory, settings: Settings
) -> None:
    settings.APPROVAL_WAIT_SECONDS = 0
    answered = post(assistant, session_with(assistant, {}), memory).json()
    assert answered["result"]["structuredContent"]["error"]["code"] == "APPROVAL_TIMED_OUT"


def test_of_two_calls_that_wait_for_the_same_one_is_carried_out(assistant: Assistant, memory: Memory) -> None:
    async def work() -> None:
        readers = [await waiting(assistant, memory, era) for era in ("handshake", "stateless")]
        await in_thread(lambda: approve(the_approval(), PAGE))
        payloads = [(await reader.event()).message["result"]["structuredContent"] for reader in readers]
        assert sorted(payload["ok"] for payload in payloads) == [False, True]
        for reader in readers:
            await reader.close()

    run(work)
    assert Approval.objects.filter(state="used").count() == 1


def test_a_call_whose_app_is_cut_off_while_it_waits_is_not_carried_out(
    assistant: Assistant, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "CHECK_SECONDS", 0.1)

    async def work() -> None:
        reader = await waiting(assistant, memory, "handshake")
        await in_thread(lambda: Connection.objects.update(scopes=["memory:read"]))
        assert (await reader.event()).message["error"]["data"]["reason"] == "invalid_token"
        await in_thread(lambda: approve(the_approval(), PAGE))
        await reader.close()

    run(work)
    assert is_there(memory)
    assert the_approval().state == "approved"


@pytest.mark.parametrize("said", [YES, {"action": "decline"}])
def test_in_a_session_the_question_comes_on_the_stream_of_the_call(
    assistant: Assistant, memory: Memory, said: dict[str, Any]
) -> None:
    async def work() -> None:
        session_id = await in_thread(session_with, assistant, FORMS)
        reader = await stream(assistant, session_id, memory)
        question = (await reader.event()).message
        assert question["method"] == "elicitation/create"
        assert "The cat is called Mimi." in question["params"]["message"]
        await reply(assistant, session_id, question["id"], said)
        assert (await answer_on(reader))["ok"] is (said is YES)

    run(work)
    assert is_there(memory) is (said is not YES)
    assert (the_approval().state, the_approval().decided_in) == ("used" if said is YES else "rejected", "app")


def test_a_client_that_fails_to_ask_leaves_it_to_the_page(assistant: Assistant, memory: Memory) -> None:
    async def work() -> None:
        session_id = await in_thread(session_with, assistant, FORMS)
        reader = await stream(assistant, session_id, memory)
        question = (await reader.event()).message
        error = {"code": -32603, "message": "No window to show it in"}
        assert (await in_thread(send, assistant, session_id, id=question["id"], error=error)).status_code == 202
        await in_thread(lambda: approve(the_approval(), PAGE))
        assert (await answer_on(reader))["ok"]

    run(work)
    assert the_approval().decided_in == "page"


def test_where_the_app_may_not_ask_the_call_waits_for_the_page(assistant: Assistant, memory: Memory) -> None:
    must_ask(in_app=False)

    async def work() -> None:
        session_id = await in_thread(session_with, assistant, FORMS)
        reader = await stream(assistant, session_id, memory)
        await in_thread(lambda: approve(the_approval(), PAGE))
        assert (await answer_on(reader))["ok"]

    run(work)


def test_a_word_on_the_page_ends_the_wait_for_one_in_the_app(assistant: Assistant, memory: Memory) -> None:
    async def work() -> None:
        session_id = await in_thread(session_with, assistant, FORMS)
        reader = await stream(assistant, session_id, memory)
        question = (await reader.event()).message
        await in_thread(lambda: approve(the_approval(), PAGE))
        assert (await answer_on(reader))["ok"]
        late = await in_thread(send, assistant, session_id, id=question["id"], result={"action": "decline"})
        assert late.status_code == 202

    run(work)
    assert (the_approval().state, the_approval().decided_in) == ("used", "page")
