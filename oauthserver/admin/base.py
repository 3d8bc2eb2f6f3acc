"""Base classes of the pages on apps, tokens and external identities."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html

from common.admin import StrictModelAdmin
from oauthserver.admin.forms import PermissionForm
from oauthserver.connections.scopes import SCOPES
from oauthserver.connections.signals import connection_revoked
from oauthserver.connections.usage import format_permission_key
from oauthserver.models import Permission

NEVER = "never"


def shown_time(moment: datetime | None) -> str:
    """Format `moment` for a column; “never” for None."""
    return date_format(moment, "DATETIME_FORMAT") if moment else NEVER


class AccessAdmin(StrictModelAdmin):
    """An admin of rows that are not added by hand."""

    list_filter_submit = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """List only the rows on the confirmation page. Their tokens are deleted too, and need no permission."""
        rows: Iterable[Model] = list(objs)
        names = [str(row) for row in rows]
        return names, {str(self.opts.verbose_name_plural): len(names)}, set(), []


class PermissionAdmin(AccessAdmin):
    """An admin in which owners pause, restrict or delete their own permissions, and see no others."""

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
        """Return the form with the id of the logged-in user."""
        form = super().get_form(request, obj, **options)
        return type(form.__name__, (form,), {"user_id": request.user.pk})

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], **options: Any) -> Any:
        """Show a single save button, which is enough for a short form."""
        context.update(show_save_and_continue=False, show_save_and_add_another=False)
        return super().render_change_form(request, context, **options)

    def save_model(self, request: HttpRequest, obj: Permission, form: PermissionForm, change: bool) -> None:
        """Write only the fields of the form, because calls are counted in the same row concurrently."""
        obj.save(update_fields=[*PermissionForm.Meta.fields, "paused_at"] if change else None)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the permission, and announce that it was revoked."""
        connection_revoked.send(type(obj), name=format_permission_key((type(obj), obj.pk)))
        obj.delete()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Permission]) -> None:
        """Delete the permissions one by one, so that each revocation is announced."""
        for permission in queryset:
            self.delete_model(request, permission)

    @admin.display(description="permissions")
    def may(self, permission: Permission) -> str:
        return ", ".join(SCOPES[name].verb for name in permission.scopes)

    @admin.display(description="memories")
    def memories(self, permission: Permission) -> str:
        return f"tagged {', '.join(permission.tags)}" if permission.tags else "all"

    def client_of(self, permission: Any) -> str:
        """Return the name of the app or token as a client in the journal."""
        raise NotImplementedError

    @admin.display(description="changes")
    def changes(self, permission: Any) -> str:
        """Return a link to the page that undoes changes, which the site provides."""
        query = urlencode({"app": self.client_of(permission), "period": "day"})
        return format_html('<a href="{}?{}">Show and undo its changes</a>', reverse("undo"), query)

    @admin.display(description="last use")
    def used(self, permission: Permission) -> str:
        return shown_time(permission.last_used_at)

    @admin.action(description="Pause")
    def pause(self, request: HttpRequest, queryset: QuerySet[Permission]) -> None:
        """Refuse every request until the permission is resumed. The tokens are kept."""
        count = queryset.filter(paused_at=None).update(paused_at=timezone.now())
        its, it = ("its", "it") if count == 1 else ("their", "them")
        messages.success(request, f"{count} paused. All of {its} requests are refused until you resume {it}.")

    @admin.action(description="Resume")
    def resume(self, request: HttpRequest, queryset: QuerySet[Permission]) -> None:
        """Accept requests again, with the existing tokens."""
        count = queryset.filter(paused_at__isnull=False).update(paused_at=None)
        messages.success(request, f"{count} resumed.")
