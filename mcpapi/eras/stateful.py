"""The handshake era, 2024-11-05 to 2025-11-25: `initialize`, then requests with or without a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from mcpapi import methods
from mcpapi.context import Caller
from mcpapi.eras.base import Method
from mcpapi.eras.versions import ANNOTATED_SINCE, NEWEST_HANDSHAKE, STRUCTURED_SINCE, version_header
from mcpapi.jsonrpc import NO_SESSION, Call, RpcError
from mcpapi.sessions import find_session
from oauthserver.bearer import Principal

SESSION_HEADER = "Mcp-Session-Id"


class HandshakeEra:
    """Revisions with an optional session; its revision holds, then the header's, then the newest one's."""

    methods: Mapping[str, Method] = methods.HANDSHAKE_METHODS

    def admit(self, request: HttpRequest, principal: Principal, call: Call) -> Caller:
        """See `Era.admit`."""
        named_version = version_header(request)
        return Caller.of(principal, self._version(request, principal, call, named_version))

    def _version(self, request: HttpRequest, principal: Principal, call: Call, named_version: str | None) -> str:
        session_id = request.headers.get(SESSION_HEADER)
        if session_id and call.method != "initialize":
            return find_session(principal, session_id).protocol_version
        if settings.MCP_REQUIRE_SESSION and call.method != "initialize":
            raise RpcError(
                NO_SESSION,
                "Bad Request: No valid session ID provided",
                reason="no_session",
                status=400,
                details=f"Call initialize first and send its {SESSION_HEADER} with every request.",
            )
        return named_version or NEWEST_HANDSHAKE

    def dress(self, caller: Caller, method: str, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Era.dress`: what a revision does not know yet is left out."""
        if caller.protocol_version >= STRUCTURED_SINCE:
            return result
        if method == "tools/call":
            return {key: value for key, value in result.items() if key != "structuredContent"}
        if method == "tools/list":
            unknown = {"title", "outputSchema"} | (
                set() if caller.protocol_version >= ANNOTATED_SINCE else {"annotations"}
            )
            return {"tools": [_without(tool, unknown) for tool in result["tools"]]}
        return result


def _without(tool: Mapping[str, Any], unknown: set[str]) -> dict[str, Any]:
    return {key: value for key, value in tool.items() if key not in unknown}
