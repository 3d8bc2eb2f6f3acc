"""The page on connected apps: their permissions and use, with actions to pause and revoke."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import pluralize
from django.utils import timezone
from oauth2_provider.models import AccessToken
from unfold.decorators import display

from oauthserver.admin.base import PermissionAdmin, shown_time
from oauthserver.admin.forms import ConnectionForm
from oauthserver.connections.connection_changes import delete_connection, disconnect
from oauthserver.models import Connection

REVOKE = "revoke"
"""Name of the submit button that revokes all tokens of an app."""


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
    list_display = ("app", "state", "may", "memories", "reads", "writes", "used", "active_tokens", "registered")
    list_select_related = ("application",)
    search_fields = ("application__name",)
    ordering = ("-created_at",)
    actions = ("pause", "resume", "revoke")
    facts = (
        "state",
        "active_tokens",
        "reads",
        "writes",
        "used",
        "changes",
        "allowed",
        "registered",
        "destinations",
        "client_id",
    )
    fields = (*PermissionAdmin.changeable, *facts)
    readonly_fields = facts

    def get_queryset(self, request: HttpRequest) -> QuerySet[Connection]:
        own: QuerySet[Connection] = super().get_queryset(request)
        return own.annotate(tokens=active_tokens())

    def client_of(self, permission: Any) -> str:
        return str(permission.application.client_id)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Revoke and delete the connection."""
        delete_connection(obj)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], **options: Any) -> Any:
        """Add a button that revokes all tokens if there are any."""
        if options["obj"].tokens:
            context["actions_submit_line"] = [{"action_name": REVOKE, "description": "Save and revoke all tokens"}]
        return super().render_change_form(request, context, **options)

    def response_change(self, request: HttpRequest, obj: Connection) -> HttpResponse:
        """Revoke all tokens if that button was used, and stay on the page."""
        if REVOKE not in request.POST:
            return super().response_change(request, obj)  # type: ignore[no-any-return]
        _report_revoked(request, disconnect(obj))
        return redirect(request.path)

    @admin.display(description="app")
    def app(self, connection: Connection) -> str:
        return str(connection)

    @display(  # type: ignore[untyped-decorator]
        description="state", label={"connected": "success", "paused": "warning", "not connected": "info"}
    )
    def state(self, connection: Any) -> str:
        if connection.paused_at:
            return "paused"
        return "connected" if connection.tokens else "not connected"

    @admin.display(description="active tokens")
    def active_tokens(self, connection: Any) -> int:
        return connection.tokens or 0

    @admin.display(description="connected")
    def allowed(self, connection: Connection) -> str:
        return shown_time(connection.created_at)

    @admin.display(description="registered")
    def registered(self, connection: Any) -> str:
        return shown_time(connection.application.created)

    @admin.display(description="redirects to")
    def destinations(self, connection: Any) -> str:
        return str(connection.application.redirect_uris).replace(" ", ", ")

    @admin.display(description="client id")
    def client_id(self, connection: Any) -> str:
        return str(connection.application.client_id)

    @admin.action(description="Revoke all tokens")
    def revoke(self, request: HttpRequest, queryset: QuerySet[Connection]) -> None:
        """Revoke all tokens. Each app has to request access again, with the earlier choices ticked."""
        _report_revoked(request, sum(disconnect(connection) for connection in queryset))


def _report_revoked(request: HttpRequest, count: int) -> None:
    messages.success(request, f"{count} token{pluralize(count)} revoked. An app without tokens asks for access again.")
