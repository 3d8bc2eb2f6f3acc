"""Cross-origin requests: what any web page may call, always without the person's cookies."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# What an app in a page needs to connect. A page that looks for metadata in the wrong place must be able to read that it
# is wrong. The pages for people are closed, and so is introspection, which servers do.
OPEN_PATHS = re.compile(
    r"(?:/mcp)?/\.well-known/|(?:(?:/oauth)?/(?:token|register)|/oauth/(?:revoke|jwks|register/[^/]+))\Z"
)


def open_to_any_origin(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Let pages of any origin read what programs are answered, errors too, and answer their preflight requests."""

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
