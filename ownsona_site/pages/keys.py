"""The list of keyboard shortcuts, which the key ? shows over any page."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_safe

from common.pages.owner_pages import is_part, owner_page

Keys = Sequence[tuple[Sequence[str], str]]
"""Keys, and what one of them does."""

GROUPS: Sequence[tuple[str, Keys]] = (
    (
        gettext_noop("On every page"),
        (
            ([gettext_noop("Ctrl K")], gettext_noop("Search or go to")),
            (["N"], gettext_noop("Add a memory")),
            (["/"], gettext_noop("To the search box of the page")),
            (["Z"], gettext_noop("Undo what the last message reports")),
            ([gettext_noop("Ctrl Enter")], gettext_noop("Save what you type")),
            (["?"], gettext_noop("Show these keys")),
        ),
    ),
    (
        gettext_noop("In lists"),
        (
            (["J", "K"], gettext_noop("Next, previous row")),
            (["E"], gettext_noop("Edit the row")),
            (["X"], gettext_noop("Select the row")),
            (["F"], gettext_noop("Forget the selected rows, or this one")),
        ),
    ),
    (
        gettext_noop("In Review"),
        (
            (["K"], gettext_noop("Keep")),
            (["F"], gettext_noop("Forget")),
            (["P"], gettext_noop("Apply a plan")),
            (["E"], gettext_noop("Edit, or decide about the changes of a plan one by one")),
            (["M"], gettext_noop("Merge, or replace the memory that says the same")),
            (["O"], gettext_noop("Keep the second of two memories")),
            (["B"], gettext_noop("Keep both memories")),
            (["L"], gettext_noop("Postpone until tomorrow, or leave a call of an app for later")),
            (["A"], gettext_noop("Approve a call of an app, or keep all of several memories")),
            (["R"], gettext_noop("Reject a call of an app, or a plan")),
        ),
    ),
)
"""The shortcuts by place."""


@require_safe
def keys_page(request: HttpRequest) -> HttpResponse:
    """List the keyboard shortcuts; for a script, without the frame of the page."""
    context = {"groups": GROUPS, "is_part": is_part(request)}
    if is_part(request):
        return render(request, "owner/keys_list.html", context)
    return owner_page(request, "owner/keys.html", context, title=gettext("Keyboard shortcuts"))
