"""URLs of the protected resource and of their metadata.

Clients compare the URL that they were given with the one in the metadata exactly (RFC 9728, section 3.3), so every URL
of this server has its own metadata document. The audience of all tokens is one URL nevertheless.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from common.networking.addresses import LOOPBACK_HOSTS

RESOURCE_PATHS = ("/mcp", "/mcp/", "/mcp/http", "/mcp/sse")
METADATA_PATH = "/.well-known/oauth-protected-resource"


def audience() -> str:
    """Return the audience of all tokens."""
    return f"{settings.PUBLIC_URL}/mcp"


def origins() -> list[str]:
    """Return the origins of this server. On loopback, these include all three names of the loopback host."""
    public = urlsplit(settings.PUBLIC_URL)
    if public.hostname not in LOOPBACK_HOSTS:
        return [settings.PUBLIC_URL]
    port = f":{public.port}" if public.port else ""
    return [settings.PUBLIC_URL, *(f"{public.scheme}://{host}{port}" for host in ("127.0.0.1", "localhost", "[::1]"))]


def is_known_resource(uri: str) -> bool:
    """Return whether `uri` is a resource of this server, in a form that a client may use (RFC 8707)."""
    return any(uri == origin + path for origin in origins() for path in ("", "/", *RESOURCE_PATHS))


def called_origin(request: HttpRequest) -> str:
    """Return the origin that `request` was sent to if it is one of this server's, otherwise the public one."""
    origin = f"{request.scheme}://{request.META.get('HTTP_HOST', '')}".lower()
    return origin if origin in origins() else str(settings.PUBLIC_URL)


def metadata_url(request: HttpRequest) -> str:
    """Return the URL of the metadata document of the resource that `request` called.

    All paths outside MCP belong to the origin itself as a resource, because a client that compares the two URLs would
    refuse `/mcp`.
    """
    path = request.path if request.path in RESOURCE_PATHS else ""
    if request.path.startswith("/mcp/sse/"):
        path = "/mcp/sse"
    return f"{called_origin(request)}{METADATA_PATH}{path}"
