"""Clients of every revision, and of every way to name a revision: equal requests in different envelopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcpapi.eras.versions import HANDSHAKE_VERSIONS, STATELESS_VERSIONS
from tests.support.factories import Assistant
from tests.support.mcp.handshake_client import session_of
from tests.support.mcp.stateless_client import ask

Params = dict[str, Any]
SendRequest = Callable[[Assistant, str, Params], Any]
"""A function that sends a request of an assistant and returns the HTTP response."""


def in_a_session(version: str) -> SendRequest:
    """Return a function that begins a session for each request."""

    def speak(assistant: Assistant, method: str, params: Params) -> Any:
        return assistant.request(method, params, {"mcp-session-id": session_of(assistant, version)})

    return speak


def by_header(version: str) -> SendRequest:
    """Return a function that names the revision in a header of each request."""

    def speak(assistant: Assistant, method: str, params: Params) -> Any:
        return assistant.request(method, params, {"mcp-protocol-version": version})

    return speak


def without_version(assistant: Assistant, method: str, params: Params) -> Any:
    """Send a request that names no revision."""
    return assistant.request(method, params)


CLIENTS: dict[str, SendRequest] = {
    **{f"{version} in a session": in_a_session(version) for version in HANDSHAKE_VERSIONS},
    **{f"{version} by header": by_header(version) for version in HANDSHAKE_VERSIONS},
    **dict.fromkeys(STATELESS_VERSIONS, ask),
    "no revision at all": without_version,
}
