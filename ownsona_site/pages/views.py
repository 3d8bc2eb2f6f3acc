"""The home page."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from common.networking.addresses import parse_address
from ownsona_site.pages.connecting import CLIENTS, connection_snippets
from ownsona_site.web.security_headers import PAGE_POLICY

HOME_POLICY = f"{PAGE_POLICY}; script-src 'self'"
"""The copy buttons need a script. The page has no forms, and shows nothing that visitors wrote."""


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Return the home page: what OwnSona is, its MCP URL, and how to connect each client. Reveals nothing private."""
    is_only_here = settings.PUBLIC_URL_IS_LOOPBACK
    # Full paths reveal the folder of the installation, and often the name of its user.
    shows_paths = (is_only_here and _is_from_here(request)) or request.user.is_authenticated
    url = f"{settings.PUBLIC_URL}/mcp"
    context = {
        "mcp_url": url,
        "clients": CLIENTS,
        "is_only_here": is_only_here,
        "is_for_the_internet": settings.PUBLIC_URL.startswith("https://") and not is_only_here,
        "snippets": connection_snippets(url, with_paths=shows_paths),
        "shows_paths": shows_paths,
    }
    response = render(request, "home.html", context)
    response.headers["Content-Security-Policy"] = HOME_POLICY
    return response


def _is_from_here(request: HttpRequest) -> bool:
    """Return whether the visitor is on this machine: the server may listen on all addresses."""
    address = parse_address(request.META.get("REMOTE_ADDR", ""))
    return address is not None and address.is_loopback
