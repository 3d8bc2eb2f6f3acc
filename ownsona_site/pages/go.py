"""The list of all pages with a search box, which the command palette shows."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from common.pages.owner_pages import is_part, owner_page
from ownsona_site.pages.areas import AREAS


@require_safe
def go_page(request: HttpRequest) -> HttpResponse:
    """List the pages that the user can open, by area. No query besides those of the frame."""
    areas = [
        (
            gettext(area.title),
            area.icon,
            [(gettext(tab.heading or tab.title), reverse(tab.view)) for tab in area.tabs if tab.is_shown(request)],
        )
        for area in AREAS
    ]
    if is_part(request):
        return render(request, "owner/go_list.html", {"areas": areas})
    return owner_page(request, "owner/go.html", {"areas": areas}, title=gettext("Search or go to"))
