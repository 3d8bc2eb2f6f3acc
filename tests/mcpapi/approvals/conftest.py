"""An app that must ask before each risky call."""

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
    """Have `app`, or all there are, ask before calls with these risks."""
    connections = Connection.objects.filter(application=app) if app else Connection.objects.all()
    assert connections.update(approvals=list(risks), asks_in_app=in_app)


def call(assistant: Assistant, tool: str, arguments: dict[str, Any], **params: Any) -> dict[str, Any]:
    """The result of a call by a client of the stateless era that can show a form."""
    response = ask(assistant, "tools/call", {"name": tool, "arguments": arguments, **params}, meta=CAN_ASK)
    assert response.status_code == 200, response.content
    result: dict[str, Any] = response.json()["result"]
    return result


def payload_of(result: dict[str, Any]) -> dict[str, Any]:
    """What the tool answered."""
    assert result["resultType"] == "complete", result
    payload: dict[str, Any] = result["structuredContent"]
    return payload


def asked_in(result: dict[str, Any]) -> tuple[str, str]:
    """The name of the one question that a result is, and its words."""
    assert result["resultType"] == "input_required", result
    ((name, request),) = result["inputRequests"].items()
    assert request["method"] == "elicitation/create"
    return name, request["params"]["message"]


def the_approval() -> Approval:
    """The only one that there is."""
    return Approval.objects.get()


def hard_delete(memory: Memory) -> dict[str, Any]:
    """The arguments of `forget` that delete the memory for good."""
    return {"id": memory.pk, "hard_delete": True}


def make_memories(owner: User, count: int) -> list[int]:
    """The ids of so many memories."""
    return [make_memory(owner, f"The number {number} is in a text of its own.").pk for number in range(count)]


@pytest.fixture
def assistant(owner: User) -> Assistant:
    """One whose app must ask about everything risky."""
    assistant = Assistant.of(owner)
    must_ask()
    return assistant
