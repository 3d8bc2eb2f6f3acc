"""The page for a form that was sent with an outdated or missing token against cross-site requests."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import requires_csrf_token

from ownsona_site.pages.form_pages import referring_page


@requires_csrf_token
def outdated_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the page, with a link to the page of the form. Reloading would send the outdated token again."""
    page = referring_page(request)
    return render(request, "403_csrf.html", {"link": _link_to(page) if page else ""}, status=403)


def _link_to(page: str) -> str:
    """Return a link that loads the page. Mostly its address is also that of this response.

    Browsers load nothing if only the fragment differs. An empty parameter makes another address of the same page. The
    script drafts.js removes both.
    """
    return f"{page}{'&' if '?' in page else '?'}#unsaved"
