"""The list of all pages with a search box, which the command palette shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from common.pages.owner_pages import is_part, owner_page
from memories.admin.base import owners_view
from memories.errors import MemoriesError
from memories.models import Memory
from memories.queries.selectors import search_text
from ownsona_site.pages.areas import AREAS
from ownsona_site.pages.search_words import search_words

MIN_CHARS = 3
"""Shorter texts are in nearly all memories."""

SHOWN_MEMORIES = 5
COMPARED_MEMORIES = 50
"""The newest memories that contain what is typed, of which those are shown that fit best."""


@require_safe
def go_page(request: HttpRequest) -> HttpResponse:
    """List the pages that the user can open, by area; to the palette that sends `q`, the memories that contain it."""
    if is_part(request) and "q" in request.GET:
        return render(
            request, "owner/go_memories.html", {"memories": _memories_with(request, request.GET["q"].strip())}
        )
    areas = [
        (
            gettext(area.title),
            area.icon,
            [
                (gettext(tab.heading or tab.title), reverse(tab.view), search_words(tab.view))
                for tab in area.tabs
                if tab.is_shown(request)
            ],
        )
        for area in AREAS
    ]
    if is_part(request):
        return render(request, "owner/go_list.html", {"areas": areas})
    return owner_page(request, "owner/go.html", {"areas": areas}, title=gettext("Search or go to"))


def _memories_with(request: HttpRequest, typed: str) -> Sequence[Memory]:
    """Return active memories that contain what is typed. At most one query.

    Those that have it as a whole word come first, then those with a word that begins with it; the newest first.
    """
    if len(typed) < MIN_CHARS:
        return ()
    try:
        found = search_text(owners_view(request), typed, limit=COMPARED_MEMORIES)
    except MemoriesError:
        return ()
    words = [re.compile(rf"\b{re.escape(typed)}{end}", re.IGNORECASE) for end in (r"\b", "")]
    return sorted(found, key=lambda memory: [not word.search(memory.text) for word in words])[:SHOWN_MEMORIES]
