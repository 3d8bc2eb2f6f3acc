"""The machines' door: requests of MCP clients go straight to their view."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from mcpapi.urls import MCP_PATHS
from mcpapi.views import mcp
from ownsona_site.security_headers import guard

_PATHS = frozenset(f"/{name}" for name in MCP_PATHS)


def machine_door(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Skip what only people's pages need (cookies, CSRF, messages): `/mcp` is called often and has none of it."""

    def door(request: HttpRequest) -> HttpResponseBase:
        if request.path_info not in _PATHS:
            return get_response(request)
        response = mcp(request)
        guard(response)
        return response

    return door
