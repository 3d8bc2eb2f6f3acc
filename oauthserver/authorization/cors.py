"""Cross-origin requests (CORS): the paths that any web page may call, always without the user's cookies."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# The paths that a browser-based app needs to connect. They include every path of `.well-known`, so that the app can
# read the 404 of a wrong metadata URL. Pages for people stay closed, and so does introspection, which is for servers.
OPEN_PATHS = re.compile(
    r"(?:/mcp)?/\.well-known/|(?:(?:/oauth)?/(?:token|register)|/oauth/(?:revoke|jwks|register/[^/]+))\Z"
)


def open_to_any_origin(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Let pages of any origin read the responses of the open paths, errors included, and answer preflight requests."""

    def answer(request: HttpRequest) -> HttpResponse:
        if not OPEN_PATHS.match(request.path_info):
            return get_response(request)
        is_preflight = request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META
        response = HttpResponse(status=204) if is_preflight else get_response(request)
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = "WWW-Authenticate"
        if is_preflight:
            response["Access-Control-Allow-Methods"] = "GET, POST, PUT, DELETE"
            response["Access-Control-Allow-Headers"] = "Authorization, Content-Type, MCP-Protocol-Version"
            response["Access-Control-Max-Age"] = "600"
        return response

    return answer
