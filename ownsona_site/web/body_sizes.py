"""Size limits of request bodies, by path. They are known before the body is read."""

from __future__ import annotations

import re

from django.conf import settings

from mcpapi.catalog import catalog
from mcpapi.methods.body_limits import largest_limit, text_limit, tool_limit
from mcpapi.urls import MCP_VIEWS

OAUTH_BYTES = 65_536
MCP_PATHS = frozenset(f"/{path}" for path in MCP_VIEWS)
REST_TOOL = re.compile(r"/tools/([^/]+)/?\Z")
UPLOAD_PATH = "/admin/documents/document/add/"
IMPORT_PATH = "/admin/import/"
APP_IMPORT_PATHS = frozenset({"/imports", "/imports/"})
IMPORT_PATHS = APP_IMPORT_PATHS | {IMPORT_PATH}
APP_UPLOAD_PATHS = frozenset({"/documents", "/documents/"}) | APP_IMPORT_PATHS
UPLOAD_PATHS = APP_UPLOAD_PATHS | {UPLOAD_PATH, IMPORT_PATH}
UPLOAD_ROOM_BYTES = 1_000_000
"""For what a form sends besides its files: tags, and the names of up to a hundred files."""

OAUTH = re.compile(r"(?:/oauth)?/(?:token|revoke|introspect|register(?:/.*)?)\Z")


def max_bytes(path: str) -> int:
    """Return the largest body, in bytes, that `path` can need: a batch of texts at `/mcp`, one text on the pages.

    Files are stored on disk while they are received. See `uploads`.
    """
    if path in IMPORT_PATHS:
        return settings.MAX_IMPORT_MB * 1_000_000 + UPLOAD_ROOM_BYTES
    if path in UPLOAD_PATHS:
        return settings.MAX_DOCUMENT_MB * 1_000_000 + UPLOAD_ROOM_BYTES
    if path in MCP_PATHS:
        return largest_limit().bytes
    if rest_tool := REST_TOOL.match(path):
        return tool_limit(catalog().tools_by_name.get(rest_tool[1])).bytes
    return OAUTH_BYTES if OAUTH.match(path) else text_limit().bytes


def large_bytes() -> int:
    """Return the size in bytes above which a body is large: read one at a time, and only for apps.

    One text of the maximum length never exceeds it, even if every character is escaped.
    """
    return text_limit().bytes
