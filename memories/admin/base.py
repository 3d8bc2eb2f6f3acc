"""Pages that show each user their own rows and nobody else's."""

from __future__ import annotations

from typing import Any, NoReturn

from django.contrib.admin import ShowFacets
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from unfold.admin import ModelAdmin
from unfold.paginator import InfinitePaginator

from memories.access import Actor, View

ADMIN_CLIENT = "admin"
"""What the journal calls these pages."""


def owner_id(request: HttpRequest) -> int:
    """Whose rows `request` is about: the admin lets nobody in who is not logged in."""
    assert request.user.pk is not None
    return request.user.pk


def owners_view(request: HttpRequest) -> View:
    """The view of whoever is logged in: all of their own memories."""
    return View.whole(owner_id(request))


def acting_owner(owner_id: int) -> Actor:
    """The owner, about to change their memories; they decide about what waits, too."""
    return Actor(View.whole(owner_id), ADMIN_CLIENT, is_owner=True)


def given_id(value: str) -> int:
    """The id that `value` is. Raises Http404 for what no page has given."""
    if not (value.isascii() and value.isdigit() and len(value) < 19):
        raise Http404
    return int(value)


class OwnedAdmin(ModelAdmin):  # type: ignore[misc]  # the library has no types
    """Lists and opens the rows whose `owner` is logged in, a superuser's too; any other id is a 404.

    Who may log in at all may do everything with rows of their own: Django's permissions per model play no part.
    """

    # Counting all rows of a large table costs more than showing a page of them.
    paginator = InfinitePaginator
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    list_disable_select_all = True
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(owner_id=owner_id(request))  # type: ignore[no-any-return]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: object, object_id: str) -> NoReturn:
        raise Http404

    # The journal is the record. Django's log would keep the beginning of a text that was deleted for good.
    def log_addition(self, request: HttpRequest, obj: Model, message: object) -> None:
        """Keep nothing."""

    def log_change(self, request: HttpRequest, obj: Model, message: object) -> None:
        """Keep nothing."""

    def log_deletions(self, request: HttpRequest, queryset: object) -> None:
        """Keep nothing."""


class ReadOnlyOwnedAdmin(OwnedAdmin):
    """Rows that are looked at only."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
