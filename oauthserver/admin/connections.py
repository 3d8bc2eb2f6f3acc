"""The page on connected apps: their permissions and use, with actions to pause and revoke."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import pluralize
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST
from oauth2_provider.models import AccessToken

from common.owner_pages import say
from oauthserver.admin.app_pages.app_page import AppPage
from oauthserver.admin.app_pages.list_page import ListWords
from oauthserver.admin.base import PermissionAdmin, shown_time
from oauthserver.admin.forms import ConnectionForm
from oauthserver.connections.connection_changes import delete_connection, disconnect
from oauthserver.models import Connection


def active_tokens() -> Subquery:
    """Return an annotation of connections: the number of tokens that can still be used or renewed."""
    own = AccessToken.objects.filter(user=OuterRef("user"), application=OuterRef("application")).order_by()
    usable = Q(expires__gt=timezone.now()) | Q(refresh_token__isnull=False, refresh_token__revoked=None)
    counted = own.filter(usable).values("application").annotate(count=Count("pk")).values("count")
    return Subquery(counted, output_field=IntegerField())


@admin.register(Connection)
class ConnectionAdmin(PermissionAdmin):
    """The admin of the owner's connected apps."""

    form = ConnectionForm
    words = ListWords(
        "Connected apps",
        "No app is connected yet",
        "Give an app the address below. It asks you for access, and you choose what it can do.",
        says_how_to_connect=True,
    )
    fields = PermissionAdmin.changeable
    list_select_related = ("application",)
    actions = ("pause", "resume", "revoke")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Connection]:
        own: QuerySet[Connection] = super().get_queryset(request)
        return own.select_related("application").annotate(tokens=active_tokens())

    def get_urls(self) -> list[URLPattern]:
        """Return Django's URLs and the one that the button to disconnect posts to."""
        view = self.admin_site.admin_view(require_POST(self.disconnect_view))
        return [path("<int:pk>/disconnect/", view, name="oauthserver_connection_disconnect"), *super().get_urls()]

    def disconnect_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Revoke all tokens of an app, and return to its page."""
        connection = get_object_or_404(self.get_queryset(request), pk=pk)
        disconnect(connection)
        say(request, f"{connection} is disconnected. If it wants to come back, it must ask you for access.")
        return redirect("admin:oauthserver_connection_change", pk)

    def page_of(self, permission: Any) -> AppPage:
        page = super().page_of(permission)
        if not permission.tokens:
            return page
        return replace(page, disconnect_url=reverse("admin:oauthserver_connection_disconnect", args=[permission.pk]))

    def client_of(self, permission: Any) -> str:
        return str(permission.application.client_id)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Revoke and delete the connection."""
        delete_connection(obj)

    def state(self, permission: Any) -> str:
        if permission.paused_at:
            return "paused"
        return "connected" if permission.tokens else "not connected"

    def more_facts(self, permission: Any) -> list[tuple[str, str]]:
        app = permission.application
        return [
            ("Registered", shown_time(app.created)),
            *([("Published by", f"{app.publisher}, checked")] if app.publisher else []),
            ("Goes back to", str(app.redirect_uris).replace(" ", ", ")),
            ("Client id", str(app.client_id)),
            ("Active tokens", str(permission.tokens or 0)),
        ]

    @admin.action(description="Revoke all tokens")
    def revoke(self, request: HttpRequest, queryset: QuerySet[Connection]) -> None:
        """Revoke all tokens. Each app has to request access again, with the earlier choices ticked."""
        count = sum(disconnect(connection) for connection in queryset)
        messages.success(
            request, f"{count} token{pluralize(count)} revoked. An app without tokens asks for access again."
        )
