"""Committed rows, and streams held as by an ASGI server."""

from __future__ import annotations

from tests.support.mcp.stream_fixtures import assistant, owner

__all__ = ["assistant", "owner"]
