"""An app that needs approval for each risky call, and helpers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from common.risks import Risk
from mcpapi.eras.request_meta import CLIENT_CAPABILITIES
from mcpapi.models import Approval
from memories.models import Memory
from oauthserver.models import Application, Connection, User
from tests.support.factories import Assistant, make_memory
from tests.support.mcp.stateless_client import ask

CAN_ASK: dict[str, Any] = {CLIENT_CAPABILITIES: {"elicitation": {}}}


def must_ask(app: Application | None = None, risks: Sequence[str] = Risk.values, *, in_app: bool = True) -> None:
    """Make `app`, or all apps, need approval for calls with these risks."""
    connections = Connection.objects.filter(application=app) if app else Connection.objects.all()
    assert connections.update(approvals=list(risks), asks_in_app=in_app)


def call(assistant: Assistant, tool: str, arguments: dict[str, Any], **params: Any) -> dict[str, Any]:
    """Make a call as a client of the stateless era that can show a form. Return its result."""
    response = ask(assistant, "tools/call", {"name": tool, "arguments": arguments, **params}, meta=CAN_ASK)
    assert response.status_code == 200, response.content
    result: dict[str, Any] = response.json()["result"]
    return result


def payload_of(result: dict[str, Any]) -> dict[str, Any]:
    """Return the payload of a completed call."""
    assert result["resultType"] == "complete", result
    payload: dict[str, Any] = result["structuredContent"]
    return payload


def asked_in(result: dict[str, Any]) -> tuple[str, str]:
    """Return the name and the text of the only request in a result that needs input."""
    assert result["resultType"] == "input_required", result
    ((name, request),) = result["inputRequests"].items()
    assert request["method"] == "elicitation/create"
    return name, request["params"]["message"]


def the_approval() -> Approval:
    """Return the only approval."""
    return Approval.objects.get()


def hard_delete(memory: Memory) -> dict[str, Any]:
    """Return the arguments of `forget` that hard delete the memory."""
    return {"id": memory.pk, "hard_delete": True}


def make_memories(owner: User, count: int) -> list[int]:
    """Create `count` memories and return their ids."""
    return [make_memory(owner, f"The number {number} is in a text of its own.").pk for number in range(count)]


@pytest.fixture
def assistant(owner: User) -> Assistant:
    """An assistant whose app needs approval for all risks."""
    assistant = Assistant.of(owner)
    must_ask()
    return assistant
