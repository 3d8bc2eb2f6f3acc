"""The protected resource's names: which URLs clients may have been given, and what each one's metadata says.

Clients compare the URL they were given with the one that the metadata names letter by letter (RFC 9728, section 3.3),
so every URL that leads here has a document of its own; a token's audience is one URL all the same.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from common.networking.addresses import LOOPBACK_HOSTS

RESOURCE_PATHS = ("/mcp", "/mcp/", "/mcp/http", "/mcp/sse")
METADATA_PATH = "/.well-known/oauth-protected-resource"


def audience() -> str:
    """The one resource that tokens are for."""
    return f"{settings.PUBLIC_URL}/mcp"


def origins() -> list[str]:
    """The origins that lead to this server; on loopback all three names of it."""
    public = urlsplit(settings.PUBLIC_URL)
    if public.hostname not in LOOPBACK_HOSTS:
        return [settings.PUBLIC_URL]
    port = f":{public.port}" if public.port else ""
    return [settings.PUBLIC_URL, *(f"{public.scheme}://{host}{port}" for host in ("127.0.0.1", "localhost", "[::1]"))]


def is_known_resource(uri: str) -> bool:
    """Whether `uri` is one of this server's resources, as a client may name it (RFC 8707)."""
    return any(uri == origin + path for origin in origins() for path in ("", "/", *RESOURCE_PATHS))


def called_origin(request: HttpRequest) -> str:
    """The origin by which `request` came in if it is one of ours, else the public one."""
    origin = f"{request.scheme}://{request.META.get('HTTP_HOST', '')}".lower()
    return origin if origin in origins() else str(settings.PUBLIC_URL)


def metadata_url(request: HttpRequest) -> str:
    """The URL of the metadata document that names the resource which `request` called.

    Whatever is not MCP belongs to the resource that the origin is: no client that compares the two would take `/mcp`.
    """
    path = request.path if request.path in RESOURCE_PATHS else ""
    if request.path.startswith("/mcp/sse/"):
        path = "/mcp/sse"
    return f"{called_origin(request)}{METADATA_PATH}{path}"
