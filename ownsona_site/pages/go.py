"""The list of all pages with a search box, which the command palette shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from common.pages.owner_pages import is_part, owner_page
from documents.admin.search import documents_with
from memories.access import View
from memories.admin.base import owners_view
from memories.errors import MemoriesError
from memories.models import Memory
from memories.queries.selectors import search_text
from memories.tags import synonyms_of
from memories.validation.text import clean_tag
from ownsona_site.pages.areas import AREAS
from ownsona_site.pages.search_words import search_words

MIN_CHARS = 3
"""Shorter texts are in nearly all memories."""

SHOWN_MEMORIES = 5
SHOWN_DOCUMENTS = 3
COMPARED_MEMORIES = 50
"""The newest memories that contain what is typed, of which those are shown that fit best."""


@require_safe
def go_page(request: HttpRequest) -> HttpResponse:
    """List the pages that the user can open, by area; to the palette that sends `q`, what has it."""
    if is_part(request) and "q" in request.GET:
        return render(request, "owner/go_matches.html", _matches(owners_view(request), request.GET["q"].strip()))
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


def _matches(view: View, typed: str) -> Mapping[str, Any]:
    """Return the tag, the memories and the documents that are found by what is typed."""
    if len(typed) < MIN_CHARS:
        return {}
    try:
        return {
            "tag": _tag_called(view, typed),
            "memories": _memories_with(view, typed),
            "documents": documents_with(view, typed, limit=SHOWN_DOCUMENTS),
        }
    except MemoriesError:
        return {}


def _tag_called(view: View, typed: str) -> str:
    """Return the tag that is typed, or of which it is a synonym, if an active memory has it. Two queries."""
    named = clean_tag(typed)
    tag = synonyms_of(view, [named]).get(named, named)
    return tag if Memory.objects.visible_to(view).active().tagged([tag]).exists() else ""


def _memories_with(view: View, typed: str) -> Sequence[Memory]:
    """Return active memories that contain what is typed. One query.

    Those that have it as a whole word come first, then those with a word that begins with it; the newest first.
    """
    found = search_text(view, typed, limit=COMPARED_MEMORIES)
    words = [re.compile(rf"\b{re.escape(typed)}{end}", re.IGNORECASE) for end in (r"\b", "")]
    return sorted(found, key=lambda memory: [not word.search(memory.text) for word in words])[:SHOWN_MEMORIES]
