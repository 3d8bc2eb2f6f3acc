"""Fast path for MCP requests, past the middleware that only web pages need."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from mcpapi.urls import MCP_VIEWS
from ownsona_site.web.security_headers import add_transport_headers

_VIEWS = {f"/{name}": view for name, view in MCP_VIEWS.items()}


def mcp_fast_path(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Pass MCP requests directly to their view, without the middleware for cookies, CSRF and messages.

    `/mcp` is called often and uses none of them.
    """

    def route(request: HttpRequest) -> HttpResponseBase:
        view = _VIEWS.get(request.path_info)
        if view is None:
            return get_response(request)
        response = view(request)
        add_transport_headers(response)
        return response

    return route
