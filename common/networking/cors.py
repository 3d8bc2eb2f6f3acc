"""Headers of cross-origin requests (CORS; Fetch Standard, section 3.2). They never allow cookies."""

from __future__ import annotations

from django.http import HttpResponse
from django.http.response import HttpResponseBase

PREFLIGHT_SECONDS = 600
"""The time for which a browser may cache the response to a preflight request."""


def allow_origin(response: HttpResponseBase, origin: str, exposed_headers: str) -> None:
    """Let pages of `origin` (`*` for all) read `response` and its `exposed_headers`."""
    response["Access-Control-Allow-Origin"] = origin
    response["Access-Control-Expose-Headers"] = exposed_headers


def preflight(methods: str, headers: str) -> HttpResponse:
    """Return the response to a preflight request that allows `methods` and `headers`."""
    response = HttpResponse(status=204)
    response["Access-Control-Allow-Methods"] = methods
    response["Access-Control-Allow-Headers"] = headers
    response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return response
