"""Default security headers of all responses. Headers that a view sets take precedence."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

# No form-action: Chrome also applies it to the redirect after a form, and would block the way back to the app.
PAGE_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

HEADERS = {
    "Content-Security-Policy": PAGE_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}

HSTS_SECONDS = 30 * 86_400
"""Time for which browsers insist on https (RFC 6797). Every visit renews it, and it ends within a month after the owner
gives up TLS. Without includeSubDomains and preload: OwnSona must not decide for the rest of the domain."""


def add_transport_headers(response: HttpResponseBase) -> None:
    """Add the headers that matter for API responses too: no content sniffing, and HSTS if the public URL is https."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if settings.PUBLIC_URL.startswith("https:"):
        response.headers.setdefault("Strict-Transport-Security", f"max-age={HSTS_SECONDS}")


def security_headers(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Add the headers to every response except those of `/mcp`. Pages are not cached unless their view allows it."""

    def add(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        add_transport_headers(response)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    return add
