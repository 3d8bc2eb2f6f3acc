"""Base classes of the pages on apps, tokens and external identities."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, gettext_noop, ngettext
from django.utils.translation import gettext as _

from common.pages.admin import StrictModelAdmin
from common.pages.list_rows import Row
from common.pages.owner_pages import say
from common.pages.relative_times import exact_time
from oauthserver.admin.app_pages.app_page import AppPage, app_page
from oauthserver.admin.app_pages.standing import NOT_CONNECTED, can_do, flags_of
from oauthserver.admin.forms import PermissionForm
from oauthserver.connections.signals import connection_revoked
from oauthserver.connections.usage import format_permission_key
from oauthserver.models import Permission

NEVER = gettext_noop("never")


def shown_time(moment: datetime | None) -> str:
    """Format `moment` in the owner's time zone; “never” for None."""
    return exact_time(moment) if moment else gettext(NEVER)


class AccessAdmin(StrictModelAdmin):
    """An admin of rows that are not added by hand."""

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
    stored: tuple[str, ...] = PermissionForm.Meta.fields
    """The fields of the form that are columns."""

    changeable = (*PermissionForm.Meta.fields, "stores_only_told", "is_paused")
    has_selection = False
    ordering = (F("last_used_at").desc(nulls_last=True), "-created_at")
    actions: tuple[str, ...] = ("pause", "resume")

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

    def row(self, obj: Any) -> Row:
        tags = [_("only {tags}").format(tags=", ".join(obj.tags))] if obj.tags else []
        unused = [] if obj.last_used_at else [_("never used")]
        state = self.state(obj)
        return Row(
            str(obj),
            said=[*([] if state == NOT_CONNECTED else [can_do(obj)]), *tags, *unused],
            at=obj.last_used_at,
            flags=flags_of(obj, state),
            app=str(obj),
            is_title=True,
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the page of an app, or store its limits on POST. Raises Http404 for an app of another user."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        with transaction.atomic():
            permission = self.get_object(request, unquote(object_id))
            if permission is None:
                raise Http404
            form = self.get_form(request, permission, change=True)(request.POST or None, instance=permission)
            if form.is_valid():
                self.save_model(request, form.save(commit=False), form, change=True)
                say(request, gettext("Saved."))
                return redirect(request.path)
        return app_page(request, permission, form, self.page_of(permission))

    def page_of(self, permission: Any) -> AppPage:
        """Return what the page of an app shows besides its form."""
        name = f"admin:oauthserver_{self.opts.model_name}"
        return AppPage(
            client=self.client_of(permission),
            state=self.state(permission),
            facts=[(gettext("First allowed"), shown_time(permission.created_at)), *self.more_facts(permission)],
            technical=self.technical_facts(permission),
            disconnect_url="",
            delete_url=reverse(f"{name}_delete", args=[permission.pk]),
            delete_verb=self.delete_verb(permission),
            list_url=reverse(f"{name}_changelist"),
            list_title=self.crumb()["title"],
            called=self.called(permission),
        )

    def called(self, permission: Any) -> str:
        """Return what the sentences of the page call the permission, empty for its name."""
        return ""

    def delete_verb(self, permission: Any) -> str:
        """Return the words of the link that deletes the permission."""
        return gettext("Delete %(name)s") % {"name": permission}

    def more_facts(self, permission: Any) -> list[tuple[str, str]]:
        """Return further facts for the page of an app, as pairs of a label and a text."""
        return []

    def technical_facts(self, permission: Any) -> list[tuple[str, str]]:
        """Return the facts that the page shows on demand, such as identifiers."""
        return []

    def state(self, permission: Any) -> str:
        """Return the state in a word."""
        raise NotImplementedError

    def save_model(self, request: HttpRequest, obj: Permission, form: PermissionForm, change: bool) -> None:
        """Write only the fields of the form, because calls are counted in the same row concurrently."""
        obj.save(update_fields=[*self.stored, "paused_at"] if change else None)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the permission, and announce that it was revoked."""
        connection_revoked.send(type(obj), name=format_permission_key((type(obj), obj.pk)))
        obj.delete()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Permission]) -> None:
        """Delete the permissions one by one, so that each revocation is announced."""
        for permission in queryset:
            self.delete_model(request, permission)

    def client_of(self, permission: Any) -> str:
        """Return the name of the app or token as a client in the journal, empty if it has none."""
        return ""

    @admin.action(description=gettext_lazy("Pause"))
    def pause(self, request: HttpRequest, queryset: QuerySet[Permission]) -> None:
        """Refuse every request until the permission is resumed. The tokens are kept."""
        count = queryset.filter(paused_at=None).update(paused_at=timezone.now())
        text = ngettext(
            "%(number)s paused. All of its requests are refused until you resume it.",
            "%(number)s paused. All of their requests are refused until you resume them.",
            count,
        )
        messages.success(request, text % {"number": count})

    @admin.action(description=gettext_lazy("Resume"))
    def resume(self, request: HttpRequest, queryset: QuerySet[Permission]) -> None:
        """Accept requests again, with the existing tokens."""
        count = queryset.filter(paused_at__isnull=False).update(paused_at=None)
        messages.success(request, gettext("%(number)s resumed.") % {"number": count})
