"""The methods that only the handshake era has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcpapi.calls.caller import Caller
from mcpapi.eras.base import INSTRUCTIONS, server_info
from mcpapi.eras.versions import HANDSHAKE_VERSIONS, NEWEST_HANDSHAKE
from mcpapi.rpc.envelope import SESSION_HEADER
from mcpapi.rpc.jsonrpc import NO_SESSION, Params, RpcError, encode_params, invalid_params
from mcpapi.rpc.notifier import LOG_LEVELS
from mcpapi.state.sessions import renew_session, start_session, store_log_level

MAX_CLIENT_INFO_BYTES = 10_000


def negotiate_version(params: Params) -> str:
    """Return the requested revision, or the newest one if it is not supported. Raises RpcError -32602."""
    requested = params.get("protocolVersion")
    if not isinstance(requested, str):
        raise invalid_params("protocolVersion must be a string, such as " + NEWEST_HANDSHAKE)
    return requested if requested in HANDSHAKE_VERSIONS else NEWEST_HANDSHAKE


def initialize(caller: Caller, params: Params, server_capabilities: Mapping[str, Any]) -> Mapping[str, Any]:
    """Start a session in the caller's revision, with `server_capabilities` (MCP 2025-11-25, lifecycle).

    A session that the transport has already begun is used instead.
    """
    agreed = caller.protocol_version, _small_object(params, "clientInfo"), _small_object(params, "capabilities")
    if caller.session is not None:
        renew_session(caller.session, *agreed)
    else:
        caller.response_headers[SESSION_HEADER] = start_session(caller.principal, *agreed)
    return {
        "protocolVersion": caller.protocol_version,
        "capabilities": server_capabilities,
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    }


def ping(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Return an empty result, which shows that the server is alive."""
    return {}


def set_log_level(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Set the minimum level of the log messages that the client receives (MCP 2025-11-25, server/utilities/logging)."""
    level = params.get("level")
    if level not in LOG_LEVELS:
        raise invalid_params(f"level must be one of {', '.join(LOG_LEVELS)}")
    if caller.session is None:
        raise RpcError(
            NO_SESSION,
            "Bad Request: No valid session ID provided",
            reason="no_session",
            status=400,
            details="A log level belongs to a session: call initialize first.",
        )
    store_log_level(caller.session, level)
    return {}


def _small_object(params: Params, name: str) -> dict[str, Any]:
    value = params.get(name, {})
    if not isinstance(value, dict):
        raise invalid_params(f"{name} must be an object")
    encoded = encode_params(name, value)
    # PostgreSQL's JSON cannot hold U+0000.
    if len(encoded) > MAX_CLIENT_INFO_BYTES or b"\\u0000" in encoded:
        raise invalid_params(f"{name} must be smaller than {MAX_CLIENT_INFO_BYTES} bytes, without NUL characters")
    return value
