"""What the pages on apps and tokens share."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NoReturn

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from unfold.admin import ModelAdmin

from oauthserver.admin.forms import PermissionForm
from oauthserver.connections.scopes import SCOPES
from oauthserver.connections.signals import connection_revoked
from oauthserver.connections.usage import format_permission_key
from oauthserver.models import Permission

NEVER = "never"


def shown_time(moment: datetime | None) -> str:
    """`moment` in words, for a column."""
    return date_format(moment, "DATETIME_FORMAT") if moment else NEVER


class AccessAdmin(ModelAdmin):  # type: ignore[misc]  # the library has no types
    """Rows that are not written by hand; an unknown id is a 404."""

    list_filter_submit = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: object, object_id: str) -> NoReturn:
        raise Http404

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """What the page before a deletion lists: the rows. Their tokens go with them, and nobody may keep those."""
        rows: Iterable[Model] = list(objs)
        names = [str(row) for row in rows]
        return names, {str(self.opts.verbose_name_plural): len(names)}, set(), []


class PermissionAdmin(AccessAdmin):
    """What a person allowed, to be paused, narrowed or taken back: each sees their own rows only."""

    form = PermissionForm
    changeable = (*PermissionForm.Meta.fields, "is_paused")
    actions: tuple[str, ...] = ("pause", "resume")
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(user_id=request.user.pk)  # type: ignore[no-any-return]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def get_form(self, request: HttpRequest, obj: Permission | None = None, **options: Any) -> Any:
        """The form for rows of whoever is logged in."""
        form = super().get_form(request, obj, **options)
        return type(form.__name__, (form,), {"user_id": request.user.pk})

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], **options: Any) -> Any:
        """One button that saves is enough for so short a form."""
        context.update(show_save_and_continue=False, show_save_and_add_another=False)
        return super().render_change_form(request, context, **options)

    def save_model(self, request: HttpRequest, obj: Permission, form: PermissionForm, change: bool) -> None:
        """Write only what the form shows: calls are being counted in the same row meanwhile."""
        obj.save(update_fields=[*PermissionForm.Meta.fields, "paused_at"] if change else None)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """End it and forget it."""
        connection_revoked.send(type(obj), name=format_permission_key((type(obj), obj.pk)))
        obj.delete()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Permission]) -> None:
        """End and forget them."""
        for permission in queryset:
            self.delete_model(request, permission)

    @admin.display(description="may")
    def may(self, permission: Permission) -> str:
        return ", ".join(SCOPES[name].verb for name in permission.scopes)

    @admin.display(description="memories")
    def memories(self, permission: Permission) -> str:
        return f"tagged {', '.join(permission.tags)}" if permission.tags else "all"

    @admin.display(description="last use")
    def used(self, permission: Permission) -> str:
        return shown_time(permission.last_used_at)

    @admin.action(description="Pause")
    def pause(self, request: HttpRequest, queryset: QuerySet[Permission]) -> None:
        """Refuse everything until it is resumed; the tokens stay."""
        count = queryset.filter(paused_at=None).update(paused_at=timezone.now())
        asks, them = ("it asks", "it") if count == 1 else ("they ask", "them")
        messages.success(request, f"{count} paused: everything that {asks} is refused until you resume {them}.")

    @admin.action(description="Resume")
    def resume(self, request: HttpRequest, queryset: QuerySet[Permission]) -> None:
        """Go on with the tokens that there are."""
        count = queryset.filter(paused_at__isnull=False).update(paused_at=None)
        messages.success(request, f"{count} resumed.")
