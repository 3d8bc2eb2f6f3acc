"""Cross-origin requests (CORS): the paths that any web page may call, always without the user's cookies."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from common.networking.cors import allow_origin, preflight

# The paths that a browser-based app needs to connect. They include every path of `.well-known`, so that the app can
# read the 404 of a wrong metadata URL. Pages for people stay closed, and so does introspection, which is for servers.
OPEN_PATHS = re.compile(
    r"(?:/mcp)?/\.well-known/|(?:(?:/oauth)?/(?:token|register)|/oauth/(?:revoke|jwks|register/[^/]+))\Z"
)

METHODS = "GET, POST, PUT, DELETE"
HEADERS = "Authorization, Content-Type, MCP-Protocol-Version"


def open_to_any_origin(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Let pages of any origin read the responses of the open paths, errors included, and answer preflight requests."""

    def answer(request: HttpRequest) -> HttpResponse:
        if not OPEN_PATHS.match(request.path_info):
            return get_response(request)
        is_preflight = request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META
        response = preflight(METHODS, HEADERS) if is_preflight else get_response(request)
        allow_origin(response, "*", "WWW-Authenticate")
        return response

    return answer
