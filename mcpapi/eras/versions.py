"""The supported protocol revisions."""

from __future__ import annotations

from collections.abc import Sequence

from mcpapi.rpc.jsonrpc import UNSUPPORTED_VERSION, RpcError

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The revisions that begin with `initialize`, oldest first."""

STATELESS_VERSIONS = ("2026-07-28",)
"""The revisions without sessions."""

OLDEST_HANDSHAKE = HANDSHAKE_VERSIONS[0]
NEWEST_HANDSHAKE = HANDSHAKE_VERSIONS[-1]
BATCHING_VERSIONS = frozenset({"2025-03-26"})
"""The only revision with JSON-RPC batches: the one before did not mention them, the next one removed them."""


def unsupported_version(requested: str, supported: Sequence[str]) -> RpcError:
    """Return the error for a revision that is not supported here (-32022)."""
    return RpcError(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version",
        reason="unsupported_version",
        requested=requested[:100],
        supported=list(supported),
    )
