"""The headers that tell browsers what to make of an answer: the same for all, but for what a view sets itself."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

# No form-action: Chrome applies it to the redirect that follows a form, and would not let the person back to the app.
PAGE_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

# Alpine.js, with which Unfold moves menus and tabs, evaluates the expressions in its attributes, and htmx and the
# theme bring style elements. Scripts come from this server's files alone: nothing in a page runs, whoever wrote it.
ADMIN_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": PAGE_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}

HSTS_SECONDS = 30 * 86_400
"""How long a browser insists on https (RFC 6797): renewed by every visit, and over within a month for an owner who
gives up TLS. Neither subdomains nor preload lists: the rest of the domain is not OwnSona's to decide on."""


def add_transport_headers(response: HttpResponseBase) -> None:
    """Add what matters for data as well: it is what it says it is, and it comes by https where the site does."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if settings.PUBLIC_URL.startswith("https:"):
        response.headers.setdefault("Strict-Transport-Security", f"max-age={HSTS_SECONDS}")


def security_headers(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Add the headers to every answer but those of `/mcp`, and keep pages out of caches unless they say otherwise."""

    def add(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        add_transport_headers(response)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    return add
