"""Badges of the menu of the owner's pages, and page titles taken from the menu."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import admin
from django.http import HttpRequest

from documents.admin.review_count import count_awaiting_review
from mcpapi.approvals.approval_store import pending_approvals
from memories.admin.base import owner_id, owners_view
from memories.writing.quarantine import inbox


def inbox_badge(request: HttpRequest) -> str:
    """Return the number of memories in the inbox of the logged-in user and of documents that it links to, for the menu.

    Empty for 0.
    """
    count = inbox(owners_view(request)).count() + count_awaiting_review(request)
    return str(count) if count else ""


def documents_badge(request: HttpRequest) -> str:
    """Return the number of documents that await the review of the logged-in user, for the menu. Empty for 0."""
    count = count_awaiting_review(request)
    return str(count) if count else ""


def approvals_badge(request: HttpRequest) -> str:
    """Return the number of calls that await the approval of the logged-in user, for the menu. Empty for 0."""
    count = pending_approvals(owner_id(request)).count()
    return str(count) if count else ""


def menu_title(request: HttpRequest) -> dict[str, Callable[[], str]]:
    """Provide templates with `menu_title`, the menu's name of the current page. Empty for a page not in the menu."""

    def title() -> str:
        groups = admin.site.get_sidebar_list(request)  # type: ignore[attr-defined]  # of the site's class
        return next((item["title"] for group in groups for item in group["items"] if item["active"]), "")

    return {"menu_title": title}
