"""The protocol revisions that are spoken here, and the header that names one."""

from __future__ import annotations

from django.http import HttpRequest

from mcpapi.jsonrpc import UNSUPPORTED_VERSION, RpcError

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with `initialize`, oldest first."""

NEWEST_HANDSHAKE = HANDSHAKE_VERSIONS[-1]
STRUCTURED_SINCE = "2025-06-18"
"""The first revision with `structuredContent`, `outputSchema` and `title`."""

ANNOTATED_SINCE = "2025-03-26"
"""The first revision with tool annotations."""

VERSION_HEADER = "MCP-Protocol-Version"


def version_header(request: HttpRequest) -> str | None:
    """The revision that the request names; None where it names none. Raises RpcError (HTTP 400) for an unknown one."""
    version = request.headers.get(VERSION_HEADER)
    if version is None or version in HANDSHAKE_VERSIONS:
        return version
    raise RpcError(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version",
        reason="unsupported_version",
        status=400,
        requested=version[:100],
        supported=list(HANDSHAKE_VERSIONS),
    )
