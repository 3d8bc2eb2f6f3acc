"""Deletion of selected rows, and the page that asks before something is deleted that is not a row of a ModelAdmin."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import action
from django.contrib.admin.actions import delete_selected
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext, gettext_lazy, ngettext

from common.pages.owner_pages import owner_page, say
from common.pages.relative_times import number


@action(permissions=["delete"], description=gettext_lazy("Delete"))
def delete_selected_rows(page: Any, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
    """Ask whether to delete `rows`, or delete them and say how many there were."""
    count = rows.count()
    response: HttpResponse | None = delete_selected(page, request, rows)
    if isinstance(response, TemplateResponse):
        # The page asks in a heading of its own, and leads back to the list.
        assert response.context_data is not None
        response.context_data |= {"title": gettext("Delete"), "crumb": page.crumb()}
    if response is None and count:
        say(request, ngettext("One was deleted.", "%(count)s were deleted.", count) % {"count": number(count)})
    return response


def ask_to_delete(request: HttpRequest, name: str, *, url: str, hint: str = "") -> HttpResponse:
    """Ask whether to delete the thing called `name`. Its own page has the address `url`, which the page leads back to.

    `hint` says what the deletion does; if it is empty, the page says that it cannot be undone.
    """
    context = {"object": name, "delete_hint": hint, "crumb": {"url": url, "title": name}}
    return owner_page(
        request, "admin/delete_confirmation.html", context, title=gettext("Delete {name}").format(name=name)
    )
