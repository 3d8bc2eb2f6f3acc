"""The metadata in `_meta` of every stateless request (MCP 2026-07-28, basic, "Per-request protocol fields")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from mcpapi.rpc.jsonrpc import Params, invalid_params
from mcpapi.rpc.notifier import LOG_LEVELS

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"

PROTOCOL_KEYS = frozenset({PROTOCOL_VERSION, CLIENT_INFO, CLIENT_CAPABILITIES, LOG_LEVEL})
"""A message with any of these keys comes from a stateless client."""


@dataclass(frozen=True, slots=True)
class RequestMeta:
    """The revision and the client's capabilities of a request. `log_level` is None if no log messages are wanted."""

    protocol_version: str
    client_capabilities: Mapping[str, Any]
    log_level: str | None

    @classmethod
    def of(cls, params: Params) -> Self:
        """Read the fields of `params`. Raises RpcError -32602 if one is missing or invalid."""
        meta = params.get("_meta")
        if not isinstance(meta, dict):
            raise invalid_params(f"_meta must be an object with {PROTOCOL_VERSION} and {CLIENT_CAPABILITIES}")
        version = meta.get(PROTOCOL_VERSION)
        if not isinstance(version, str):
            raise invalid_params(f"_meta must have {PROTOCOL_VERSION}, a string such as 2026-07-28")
        capabilities = meta.get(CLIENT_CAPABILITIES)
        if not isinstance(capabilities, dict):
            raise invalid_params(f"_meta must have {CLIENT_CAPABILITIES}, an object; {{}} if the client has none")
        if not isinstance(meta.get(CLIENT_INFO, {}), dict):
            raise invalid_params(f"{CLIENT_INFO} must be an object with name and version")
        return cls(version, capabilities, _log_level(meta))


def _log_level(meta: Mapping[str, Any]) -> str | None:
    level = meta.get(LOG_LEVEL)
    if level is not None and level not in LOG_LEVELS:
        raise invalid_params(f"{LOG_LEVEL} must be one of {', '.join(LOG_LEVELS)}")
    return level
