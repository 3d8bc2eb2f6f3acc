"""The page that asks before something is deleted, for pages that are not those of a ModelAdmin."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page


def ask_to_delete(request: HttpRequest, name: str, *, url: str, hint: str = "") -> HttpResponse:
    """Ask whether to delete the thing called `name`. Its own page has the address `url`, which the page leads back to.

    `hint` says what the deletion does; if it is empty, the page says that it cannot be undone.
    """
    context = {"object": name, "delete_hint": hint, "crumb": {"url": url, "title": name}}
    return owner_page(
        request, "admin/delete_confirmation.html", context, title=gettext("Delete {name}").format(name=name)
    )
