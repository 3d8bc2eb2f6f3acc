"""The page on connected apps: their permissions and use, with actions to pause and revoke."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy, gettext_noop, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from common.pages.list_rows import ListWords
from common.pages.owner_pages import say
from oauthserver.admin.app_pages.app_page import AppPage
from oauthserver.admin.app_pages.standing import NOT_CONNECTED
from oauthserver.admin.base import PermissionAdmin, shown_time
from oauthserver.admin.forms import ConnectionForm
from oauthserver.connections.connection_changes import delete_connection, disconnect
from oauthserver.connections.usable_tokens import active_tokens
from oauthserver.models import Connection, PersonalToken

SHOWN_TOKENS = 20
"""Number of personal tokens that the list shows below the apps."""


@admin.register(Connection)
class ConnectionAdmin(PermissionAdmin):
    """The admin of the owner's connected apps."""

    form = ConnectionForm
    list_words = ListWords(
        _("No app is connected yet"),
        _("Give an app the address below. It asks you for access, and you choose what it can do."),
        symbol="apps",
    )
    fields = PermissionAdmin.changeable
    delete_hint = _("Its access ends at once, and it disappears from the list. Its memories stay.")
    list_select_related = ("application",)
    actions = ("pause", "resume", "revoke")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Connection]:
        own: QuerySet[Connection] = super().get_queryset(request)
        return own.select_related("application").annotate(tokens=active_tokens())

    def get_urls(self) -> list[URLPattern]:
        """Return Django's URLs and the one that the button to disconnect posts to."""
        view = self.admin_site.admin_view(require_POST(self.disconnect_view))
        return [path("<int:pk>/disconnect/", view, name="oauthserver_connection_disconnect"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list and the tokens, with which apps are connected, too, above the address that connects an app."""
        tokens = self.admin_site.get_model_admin(PersonalToken)
        shown = {
            "mcp_url": f"{settings.PUBLIC_URL}/mcp",
            "tokens": [
                (token.pk, reverse("admin:oauthserver_personaltoken_change", args=[token.pk]), tokens.row(token))
                for token in tokens.get_queryset(request).order_by(*tokens.ordering)[: SHOWN_TOKENS + 1]
            ],
            "shown_tokens": SHOWN_TOKENS,
            **(extra_context or {}),
        }
        return super().changelist_view(request, shown)

    def disconnect_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Revoke all tokens of an app, and return to its page."""
        connection = get_object_or_404(self.get_queryset(request), pk=pk)
        disconnect(connection)
        say(
            request,
            gettext("%(connection)s is disconnected. To connect again, it must ask you for access.")
            % {"connection": connection},
        )
        return redirect("admin:oauthserver_connection_change", pk)

    def page_of(self, permission: Any) -> AppPage:
        page = super().page_of(permission)
        url = reverse("admin:oauthserver_connection_disconnect", args=[permission.pk]) if permission.tokens else ""
        verb = gettext("Remove %(name)s") % {"name": permission}
        return replace(page, disconnect_url=url, delete_verb=verb, is_connected=bool(permission.tokens))

    def client_of(self, permission: Any) -> str:
        return str(permission.application.client_id)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Revoke and delete the connection."""
        delete_connection(obj)

    def delete_hint_of(self, obj: Any) -> Any:
        if obj.tokens:
            return self.delete_hint
        return gettext("It is not connected. It disappears from the list, and its memories stay.")

    def state(self, permission: Any) -> str:
        if not permission.tokens:
            return NOT_CONNECTED
        return gettext_noop("paused") if permission.paused_at else gettext_noop("connected")

    def more_facts(self, permission: Any) -> list[tuple[str, str]]:
        app = permission.application
        return [
            (gettext("Registered"), shown_time(app.created)),
            *(
                [(gettext("Published by"), gettext("%(publisher)s, checked") % {"publisher": app.publisher})]
                if app.publisher
                else []
            ),
        ]

    def technical_facts(self, permission: Any) -> list[tuple[str, str]]:
        app = permission.application
        return [
            (gettext("Goes back to"), str(app.redirect_uris).replace(" ", ", ")),
            (gettext("Client id"), str(app.client_id)),
            (gettext("Active tokens"), str(permission.tokens or 0)),
        ]

    @admin.action(description=gettext_lazy("Revoke all tokens"))
    def revoke(self, request: HttpRequest, queryset: QuerySet[Connection]) -> None:
        """Revoke all tokens. Each app has to request access again, with the earlier choices ticked."""
        count = sum(disconnect(connection) for connection in queryset)
        text = ngettext(
            "%(number)s token revoked. An app without tokens asks for access again.",
            "%(number)s tokens revoked. An app without tokens asks for access again.",
            count,
        )
        messages.success(request, text % {"number": count})
