"""Risky calls of the official Python SDK, in both eras, with approval in the client."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client

from tests.support.live_server import LiveServer, live_server

MUST_ASK = """
import uuid
from common.risks import Risk
from oauthserver.models import User
from tests.support.factories import make_personal_token
print(make_personal_token(User.objects.get(), uuid.uuid4().hex, approvals=Risk.values))
"""
APPROVE = """
import time
from mcpapi.approvals.approval_store import approve
from mcpapi.models import Approval
ends_at = time.monotonic() + 30
while not (waiting := Approval.objects.filter(state="asked").first()) and time.monotonic() < ends_at:
    time.sleep(0.1)
print(approve(waiting, Approval.Place.PAGE))
"""


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    """A server with two web processes, so that a decision often reaches another process than the waiting call."""
    with live_server() as running:
        yield running


class Person:
    """The person at the client, who gives the same answer to every request."""

    def __init__(self, action: Any, approve: bool) -> None:
        self.asked: list[str] = []
        self._said = types.ElicitResult(action=action, content={"approve": approve} if action == "accept" else None)

    async def elicit(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return self._said


async def export(server: LiveServer, token: str, mode: Any, **options: Any) -> dict[str, Any]:
    """Call `export_memories` and return its result."""
    headers = {"authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{server.url}/mcp", http_client=http), mode=mode, **options) as client,
    ):
        payload: dict[str, Any] | None = (await client.call_tool("export_memories", {})).structured_content
        assert payload is not None
        return payload


either_era = pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])


@either_era
@pytest.mark.parametrize(("action", "approve"), [("accept", True), ("accept", False), ("decline", False)])
def test_a_person_decides_at_their_client(server: LiveServer, mode: str, action: str, approve: bool) -> None:
    person, token = Person(action, approve), server.run(MUST_ASK).strip()
    payload = asyncio.run(export(server, token, mode, elicitation_callback=person.elicit))
    assert payload["ok"] is approve
    assert approve or payload["error"]["code"] == "APPROVAL_REJECTED"
    assert person.asked == ["Export all memories that the app can see, including forgotten ones?"]


@either_era
def test_a_client_that_cannot_ask_waits_until_the_owner_decides_elsewhere(server: LiveServer, mode: str) -> None:
    token = server.run(MUST_ASK).strip()

    async def work() -> tuple[dict[str, Any], str]:
        exporting = asyncio.create_task(export(server, token, mode))
        approved = await asyncio.to_thread(server.run, APPROVE)
        return await exporting, approved

    payload, approved = asyncio.run(work())
    assert approved.strip() == "True"
    assert payload["ok"] is True
