"""The page on personal tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from common.pages.list_rows import ListWords, Row
from common.pages.owner_pages import owner_page
from oauthserver.admin.base import PermissionAdmin, shown_time
from oauthserver.admin.forms import NewPersonalTokenForm, PermissionForm
from oauthserver.models import PERSONAL_CLIENT, Permission, PersonalToken
from oauthserver.tokens.personal_tokens import generate_personal_token


@admin.register(PersonalToken)
class PersonalTokenAdmin(PermissionAdmin):
    """The admin of personal tokens. A token's value is shown only once, on the page after its creation."""

    list_words = ListWords(
        _("No personal token yet"),
        _("A personal token lets a script use your memories without a login page."),
        add=_("Add a token"),
        symbol="key",
    )

    add_verb = _("Create token")
    delete_hint = _(
        "Scripts that use it are refused from then on, and it cannot be restored. What they have stored stays."
    )

    def client_of(self, permission: Any) -> str:
        return f"{PERSONAL_CLIENT}{permission.pk}"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def get_fields(self, request: HttpRequest, obj: PersonalToken | None = None) -> tuple[str, ...]:
        """Return the fields of a new token, or the changeable fields of an existing one."""
        return self.changeable if obj else ("name", "scopes", "tags", "lifetime_days")

    def get_form(self, request: HttpRequest, obj: Permission | None = None, **options: Any) -> Any:
        """Return the form as in `PermissionAdmin.get_form`, but a separate one for a new token."""
        return super().get_form(request, obj, **options if obj else {**options, "form": NewPersonalTokenForm})

    def save_form(self, request: HttpRequest, form: PermissionForm, change: bool) -> Permission:
        """Generate the value of a new token, and keep it in the request for the page that shows it once."""
        token: Permission = super().save_form(request, form, change)
        if isinstance(token, PersonalToken) and isinstance(form, NewPersonalTokenForm):
            request.new_token_value, token.token_sha256 = generate_personal_token()  # type: ignore[attr-defined]
            token.user_id, token.expires_at = form.user_id, form.expires_at()
        return token

    def response_add(
        self, request: HttpRequest, obj: PersonalToken, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the value once. It is stored nowhere, neither in a session nor in a cache."""
        context = {
            "crumb": self.crumb(),
            "value": request.new_token_value,  # type: ignore[attr-defined]
            "token": obj,
            "mcp_url": f"{settings.PUBLIC_URL}/mcp",
        }
        response = owner_page(request, "oauthserver/personal_token.html", context, title=obj.name)
        response.headers["Cache-Control"] = "no-store"
        return response

    def row(self, obj: Any) -> Row:
        row = super().row(obj)
        return row if _has_expired(obj) else replace(row, said=[*row.said, _valid_until(obj)])

    def state(self, permission: Any) -> str:
        if _has_expired(permission):
            return gettext_noop("expired")
        return gettext_noop("paused") if permission.paused_at else gettext_noop("active")

    def more_facts(self, permission: Any) -> list[tuple[str, str]]:
        ends = shown_time(permission.expires_at) if permission.expires_at else gettext("you delete it")
        return [(gettext("Valid until"), ends)]


def _has_expired(token: PersonalToken) -> bool:
    return token.expires_at is not None and token.expires_at <= timezone.now()


def _valid_until(token: PersonalToken) -> str:
    if token.expires_at is None:
        return gettext("valid until you delete it")
    return gettext("valid until %(day)s") % {"day": date_format(timezone.localtime(token.expires_at))}
