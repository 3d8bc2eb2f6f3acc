"""The names that the menu of the owner's pages gives them: the pages bear the same."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import admin
from django.http import HttpRequest

from mcpapi.approvals.queue import pending_approvals
from memories.admin.base import owner_id, owners_view
from memories.writing.quarantine import inbox


def inbox_badge(request: HttpRequest) -> str:
    """How much waits in the inbox of whoever is logged in, for the menu; empty for nothing."""
    count = inbox(owners_view(request)).count()
    return str(count) if count else ""


def approvals_badge(request: HttpRequest) -> str:
    """How many calls wait for the word of whoever is logged in, for the menu; empty for none."""
    count = pending_approvals(owner_id(request)).count()
    return str(count) if count else ""


def menu_title(request: HttpRequest) -> dict[str, Callable[[], str]]:
    """A template context processor: `menu_title` is the menu's name for the page asked for, empty for one not in it."""

    def title() -> str:
        groups = admin.site.get_sidebar_list(request)  # type: ignore[attr-defined]  # of the site's class
        return next((item["title"] for group in groups for item in group["items"] if item["active"]), "")

    return {"menu_title": title}
