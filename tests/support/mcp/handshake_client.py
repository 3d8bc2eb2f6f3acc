"""Requests of the handshake era, and expected errors."""

from __future__ import annotations

from typing import Any

from tests.support.factories import Assistant

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def session_of(assistant: Assistant, version: str = "2025-11-25") -> str:
    """Begin a session in the revision `version` and return its id."""
    response = assistant.request("initialize", {**INITIALIZE, "protocolVersion": version})
    assert response.status_code == 200, response.content
    return str(response["Mcp-Session-Id"])


def assert_error(response: Any, status: int, code: int, reason: str) -> dict[str, Any]:
    """Check that a response is this JSON-RPC error, and return the error."""
    assert response.status_code == status, response.content
    body = response.json()
    assert body["jsonrpc"] == "2.0"
    assert (body["error"]["code"], body["error"]["data"]["reason"]) == (code, reason)
    error: dict[str, Any] = body["error"]
    return error


def nested(depth: int) -> dict[str, Any]:
    """Return an object with `depth` levels of nested objects."""
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value
