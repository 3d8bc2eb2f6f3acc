"""Which era a request belongs to: the only place that decides it."""

from __future__ import annotations

from django.http import HttpRequest

from mcpapi.eras.base import Era
from mcpapi.eras.stateful import HandshakeEra
from mcpapi.jsonrpc import Call

HANDSHAKE = HandshakeEra()


def era_for(request: HttpRequest, call: Call) -> Era:
    """The era whose rules this request follows."""
    return HANDSHAKE
