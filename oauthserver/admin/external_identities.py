"""The page on external identities: subjects of the external issuer with access to memories."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from common.pages.list_rows import ListWords
from oauthserver.admin.base import PermissionAdmin
from oauthserver.admin.forms import ExternalIdentityForm, NewExternalIdentityForm, PermissionForm
from oauthserver.models import ExternalIdentity, Permission

TRUSTED, NOT_TRUSTED = gettext_noop("trusted"), gettext_noop("not trusted")


@admin.register(ExternalIdentity)
class ExternalIdentityAdmin(PermissionAdmin):
    """The admin of external identities.

    Only superusers may link a subject to a user, because a link can give access to another user's memories.
    """

    list_words = ListWords(
        _("No external identity yet"),
        _("Add the people and programs of your identity provider that can use your memories."),
        _("People and programs of your identity provider that can use your memories, with the tokens that it issues."),
        add=_("Add an identity"),
        symbol="key",
    )

    form = ExternalIdentityForm
    stored = ExternalIdentityForm.Meta.fields
    changeable = ("name", *PermissionAdmin.changeable)
    delete_hint = _("Its access ends at once. The memories that it has stored stay.")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.is_superuser)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser and settings.OIDC_ISSUER)

    def get_fields(self, request: HttpRequest, obj: ExternalIdentity | None = None) -> tuple[str, ...]:
        """Return the fields of a new identity, or the changeable fields of an existing one."""
        return self.changeable if obj else ("subject", "name", "scopes", "tags")

    def get_form(self, request: HttpRequest, obj: Permission | None = None, **options: Any) -> Any:
        """Return the form as in `PermissionAdmin.get_form`, but a separate one for a new identity."""
        return super().get_form(request, obj, **options if obj else {**options, "form": NewExternalIdentityForm})

    def save_form(self, request: HttpRequest, form: PermissionForm, change: bool) -> Permission:
        """Give a new identity the trusted issuer and access to the memories of the user who adds it."""
        identity: Permission = super().save_form(request, form, change)
        if isinstance(identity, ExternalIdentity) and not change:
            identity.user_id, identity.issuer = form.user_id, settings.OIDC_ISSUER
        return identity

    def state(self, permission: Any) -> str:
        if permission.issuer != settings.OIDC_ISSUER:
            return NOT_TRUSTED
        return "paused" if permission.paused_at else TRUSTED

    def more_facts(self, permission: Any) -> list[tuple[str, str]]:
        provider = (gettext("Identity provider"), permission.issuer)
        return [provider, (gettext("Id there"), permission.subject)] if permission.name else [provider]

    def called(self, permission: Any) -> str:
        return permission.name or gettext("This identity")

    def delete_verb(self, permission: Any) -> str:
        return super().delete_verb(permission) if permission.name else gettext("Delete this identity")
