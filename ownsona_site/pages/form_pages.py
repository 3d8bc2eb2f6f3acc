"""Addresses of the pages that contain the forms which browsers send."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

OWNERS_PAGES = "/admin/"


def referring_page(request: HttpRequest) -> str:
    """Return the path and query of the page of this site that has sent the request; empty if it is unknown."""
    sent_by = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(sent_by, {request.get_host()}, require_https=request.is_secure()):
        return ""
    return urlsplit(sent_by)._replace(scheme="", netloc="", fragment="").geturl()


def page_of_form(request: HttpRequest) -> str:
    """Return the path of the owner's page whose form was sent, or that of the overview.

    The path of the request itself may accept no GET: it would be an error page after the login.
    """
    page = referring_page(request)
    return page if page.startswith(OWNERS_PAGES) else OWNERS_PAGES
