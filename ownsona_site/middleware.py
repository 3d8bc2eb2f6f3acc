"""The machines' door: requests of MCP clients go straight to their view."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from mcpapi.urls import MCP_PATHS
from mcpapi.views import mcp

_PATHS = frozenset(f"/{name}" for name in MCP_PATHS)


def machine_door(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Skip what only people's pages need (cookies, CSRF, messages): `/mcp` is called often and has none of it."""

    def door(request: HttpRequest) -> HttpResponseBase:
        return mcp(request) if request.path_info in _PATHS else get_response(request)

    return door
