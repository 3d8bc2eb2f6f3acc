"""The machines' door: requests of MCP clients go straight to their view."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from mcpapi.urls import MCP_VIEWS
from ownsona_site.web.security_headers import add_transport_headers

_VIEWS = {f"/{name}": view for name, view in MCP_VIEWS.items()}


def mcp_fast_path(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Skip what only people's pages need (cookies, CSRF, messages): `/mcp` is called often and has none of it."""

    def route(request: HttpRequest) -> HttpResponseBase:
        view = _VIEWS.get(request.path_info)
        if view is None:
            return get_response(request)
        response = view(request)
        add_transport_headers(response)
        return response

    return route
