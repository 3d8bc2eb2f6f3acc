"""Which web pages and which names of this server may come in at `/mcp` (MCP transports, "Security Warning")."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

ALLOWED_REQUEST_HEADERS = (
    "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name"
)
EXPOSED_RESPONSE_HEADERS = "Mcp-Session-Id, WWW-Authenticate"


def host_is_allowed(request: HttpRequest) -> bool:
    """Whether the request names this server by one of its own names: another one is DNS rebinding or a mistake."""
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return True


def origin_is_allowed(request: HttpRequest) -> bool:
    """Whether the request's `Origin` is absent, this server's own, loopback (any port), or listed by the owner."""
    origin = request.headers.get("Origin")
    if origin is None or origin == settings.PUBLIC_URL or origin in settings.ALLOWED_ORIGINS:
        return True
    try:
        parts = urlsplit(origin)
        return parts.scheme in {"http", "https"} and parts.hostname in settings.LOOPBACK_HOSTS
    except ValueError:
        return False


def let_origin_read(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Let the page that asked, whose origin is allowed, read `response`; never with its cookies."""
    origin = request.headers.get("Origin")
    if origin is not None:
        response["Access-Control-Allow-Origin"] = origin
        response["Access-Control-Expose-Headers"] = EXPOSED_RESPONSE_HEADERS
    return response


def preflight() -> HttpResponse:
    """The answer to a browser that asks whether it may call."""
    response = HttpResponse(status=204)
    response["Access-Control-Allow-Methods"] = "POST, GET, DELETE, OPTIONS"
    response["Access-Control-Allow-Headers"] = ALLOWED_REQUEST_HEADERS
    response["Access-Control-Max-Age"] = "600"
    return response
