"""The language of pages. Everything that programs read stays English."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views import defaults

from common.pages.owner_pages import owner_page

HOME = "/"
OWNERS_PAGES = "/admin/"
PAGES = (OWNERS_PAGES, "/login/", "/logout/", "/oauth/authorize", "/authorize")
"""Beginnings of the paths of pages that people read. MCP, REST, OAuth endpoints and metrics are not among them."""


def page_language(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Show pages in the language that their reader has chosen, or else in that of the browser."""

    def in_readers_language(request: HttpRequest) -> HttpResponse:
        if not _is_page(request):
            return get_response(request)
        language = language_of(request)
        with translation.override(language):
            response = get_response(request)
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ("Accept-Language",))
        return response

    return in_readers_language


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page for an unknown address. Only a browser gets it in its language, and owners the navigation."""
    if request.path.startswith(OWNERS_PAGES) and getattr(request, "user", None) and request.user.is_authenticated:
        return owner_page(request, "owner/not_found.html", {}, title=translation.gettext("Page not found"), status=404)
    if _is_page(request) or "text/html" not in request.headers.get("Accept", ""):
        return defaults.page_not_found(request, exception)
    with translation.override(translation.get_language_from_request(request)):
        return defaults.page_not_found(request, exception)


def _is_page(request: HttpRequest) -> bool:
    return request.path == HOME or request.path.startswith(PAGES)


def language_of(request: HttpRequest) -> str:
    """Return the code of the language that the reader has chosen, or else of the best one for the browser."""
    chosen = request.user.language if request.user.is_authenticated else ""
    return chosen if chosen in dict(settings.LANGUAGES) else translation.get_language_from_request(request)
