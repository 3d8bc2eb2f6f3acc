"""The protocol eras, and the choice of the era of a message."""

from __future__ import annotations

from typing import Any

from mcpapi.eras.base import Era
from mcpapi.eras.handshake import HandshakeEra
from mcpapi.eras.request_meta import PROTOCOL_KEYS
from mcpapi.eras.stateless import StatelessEra
from mcpapi.eras.versions import STATELESS_VERSIONS
from mcpapi.rpc.envelope import Envelope

HANDSHAKE = HandshakeEra()
STATELESS = StatelessEra()


def era_for(envelope: Envelope, message: object) -> Era:
    """Return the era whose rules `message` follows (MCP 2026-07-28, basic/versioning, "dual-era server").

    A session that the transport itself began (HTTP+SSE) always belongs to the handshake era.
    """
    if envelope.session is not None:
        return HANDSHAKE
    if envelope.protocol_version in STATELESS_VERSIONS or not PROTOCOL_KEYS.isdisjoint(_meta_of(message)):
        return STATELESS
    return HANDSHAKE


def _meta_of(message: object) -> dict[str, Any]:
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}
