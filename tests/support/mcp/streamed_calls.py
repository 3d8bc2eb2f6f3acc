"""Clients of both eras whose calls get their responses on a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcpapi.eras.request_meta import CLIENT_CAPABILITIES
from tests.support.factories import Assistant
from tests.support.mcp.event_reader import EventReader, in_thread
from tests.support.mcp.handshake_client import INITIALIZE
from tests.support.mcp.stateless_client import ask

BOTH = {"accept": "application/json, text/event-stream"}
EVERYTHING: Mapping[str, Any] = {"elicitation": {}, "sampling": {}, "roots": {}}


def session_with(
    assistant: Assistant, capabilities: Mapping[str, Any] = EVERYTHING, version: str = "2025-11-25"
) -> str:
    """Begin a session of a client with these capabilities, and return its id."""
    params = {**INITIALIZE, "protocolVersion": version, "capabilities": capabilities}
    return str(assistant.request("initialize", params)["Mcp-Session-Id"])


def call(assistant: Assistant, session_id: str, name: str, *, request_id: Any = 1, **meta: Any) -> Any:
    """Make a call in a session and return the HTTP response."""
    params = {"name": name, **({"_meta": meta} if meta else {})}
    message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
    return assistant.post(message, {**BOTH, "mcp-session-id": session_id})


async def stream(assistant: Assistant, session_id: str, name: str, **options: Any) -> EventReader:
    """Make a call in a session and return its stream."""
    return EventReader(await in_thread(call, assistant, session_id, name, **options))


async def stateless_stream(assistant: Assistant, name: str, **meta: Any) -> EventReader:
    """Make a call of 2026-07-28 and return its stream."""
    told = {CLIENT_CAPABILITIES: {}, **meta}
    return EventReader(await in_thread(ask, assistant, "tools/call", {"name": name}, meta=told, headers=dict(BOTH)))


def send(assistant: Assistant, session_id: str, **message: Any) -> Any:
    """Send a notification or a response, and return the HTTP response."""
    return assistant.post({"jsonrpc": "2.0", **message}, {**BOTH, "mcp-session-id": session_id})


async def reply(assistant: Assistant, session_id: str, question_id: Any, result: Any) -> None:
    """Respond to a server request."""
    response = await in_thread(send, assistant, session_id, id=question_id, result=result)
    assert (response.status_code, response.content) == (202, b"")


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a tool's result."""
    text: str = message["result"]["content"][0]["text"]
    return text
