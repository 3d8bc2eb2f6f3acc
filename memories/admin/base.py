"""Base classes of pages that show owners their own rows only."""

from __future__ import annotations

from typing import Any

from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest

from common.pages.admin import OwnersAdmin
from memories.access import Actor, View

ADMIN_CLIENT = "admin"
"""Name of these pages as a client in the journal."""


def owner_id(request: HttpRequest) -> int:
    """Return the id of the logged-in user. The admin requires a login, so there is one."""
    assert request.user.pk is not None
    return request.user.pk


def owners_view(request: HttpRequest) -> View:
    """Return the view of all memories of the logged-in user."""
    return View.whole(owner_id(request))


def acting_owner(owner_id: int) -> Actor:
    """Return the actor for changes by the owner, who also decides about quarantined memories."""
    return Actor(View.whole(owner_id), ADMIN_CLIENT, is_owner=True)


def given_id(value: str) -> int:
    """Parse an id of a form or a URL. Raises Http404 for a value that no page can have sent."""
    if not (value.isascii() and value.isdigit() and len(value) < 19):
        raise Http404
    return int(value)


class OwnedAdmin(OwnersAdmin):
    """A page for the rows of the logged-in owner, who may be a superuser. Any other id gives status 404."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(owner_id=owner_id(request))  # type: ignore[no-any-return]

    # Changes are in the journal. Django's log would keep the beginning of a text that was hard-deleted.
    def log_addition(self, request: HttpRequest, obj: Model, message: object) -> None:
        """Log nothing."""

    def log_change(self, request: HttpRequest, obj: Model, message: object) -> None:
        """Log nothing."""

    def log_deletions(self, request: HttpRequest, queryset: object) -> None:
        """Log nothing."""


class ReadOnlyOwnedAdmin(OwnedAdmin):
    """A read-only page for the rows of the logged-in owner."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
