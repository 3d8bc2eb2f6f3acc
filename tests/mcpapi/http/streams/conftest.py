"""Committed rows, and streams as an ASGI server would hold them."""

from __future__ import annotations

from tests.support.mcp.stream_fixtures import assistant, owner

__all__ = ["assistant", "owner"]
