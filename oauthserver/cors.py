"""Cross-origin requests: what any web page may call, always without the person's cookies."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def any_origin(view: View[P]) -> View[P]:
    """Let pages of any origin read the answers of `view`, errors too, and answer their preflight requests."""

    @functools.wraps(view)
    def open_view(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        is_preflight = request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META
        response = HttpResponse(status=204) if is_preflight else view(request, *args, **kwargs)
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = "WWW-Authenticate"
        if is_preflight:
            response["Access-Control-Allow-Methods"] = "GET, POST, PUT, DELETE"
            response["Access-Control-Allow-Headers"] = "Authorization, Content-Type, MCP-Protocol-Version"
            response["Access-Control-Max-Age"] = "600"
        return response

    return open_view
