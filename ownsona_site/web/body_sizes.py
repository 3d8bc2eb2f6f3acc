"""How many bytes a request may have, by its path: known before anything of its body is read."""

from __future__ import annotations

import re

from mcpapi.catalog import catalog
from mcpapi.methods.body_limits import largest_limit, text_limit, tool_limit
from mcpapi.urls import MCP_VIEWS

OAUTH_BYTES = 65_536
MCP_PATHS = frozenset(f"/{path}" for path in MCP_VIEWS)
REST_TOOL = re.compile(r"/tools/([^/]+)/?\Z")
OAUTH = re.compile(r"(?:/oauth)?/(?:token|revoke|introspect|register(?:/.*)?)\Z")


def max_bytes(path: str) -> int:
    """The most bytes that anything at `path` can need: at `/mcp` a batch of texts, on the owner's pages one text."""
    if path in MCP_PATHS:
        return largest_limit().bytes
    if rest_tool := REST_TOOL.match(path):
        return tool_limit(catalog().tools_by_name.get(rest_tool[1])).bytes
    return OAUTH_BYTES if OAUTH.match(path) else text_limit().bytes


def large_bytes() -> int:
    """A body above this is large: it is read alone, and for apps only. One text, however escaped, is not above it."""
    return text_limit().bytes
