"""The page on registered apps, connected or not."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.contrib import admin
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import Max, Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from common.pages.list_rows import ListWords, Row
from common.pages.relative_times import relative_time
from oauthserver.admin.base import AccessAdmin, shown_time
from oauthserver.connections.connection_changes import delete_application
from oauthserver.connections.usable_tokens import connected_people
from oauthserver.models import Application

AUTH_METHODS = {
    Application.AuthMethod.NONE: gettext_noop("without a secret"),
    Application.AuthMethod.BASIC: gettext_noop("with a secret in the header"),
    Application.AuthMethod.POST: gettext_noop("with a secret in the body"),
}


class ConnectedFilter(SimpleListFilter):
    title = _("connection")
    parameter_name = "connected"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [("yes", gettext("Connected")), ("no", gettext("Not connected"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Application]) -> QuerySet[Application]:
        if self.value() not in {"yes", "no"}:
            return queryset
        return queryset.filter(connected_by=0) if self.value() == "no" else queryset.filter(connected_by__gt=0)


@admin.register(Application)
class ApplicationAdmin(AccessAdmin):
    """The admin of registered apps. They belong to the server, not to a user, so only superusers see them."""

    list_words = ListWords(
        _("No app is registered"),
        _("Apps register themselves when they connect for the first time."),
        intro=_(
            "All apps that have ever asked to connect to this server. To change what one of yours may do, open it "
            "under “Connected apps”."
        ),
        symbol="apps",
    )
    delete_hint = _(
        "Its connections end at once, for everybody who uses it. The memories that it has stored stay. To connect "
        "again, it asks for access as a new app."
    )
    delete_verb = _("Delete this app")
    list_filter = (ConnectedFilter,)
    search_fields = ("name", "redirect_uris")
    search_help_text = _("Search names and addresses")
    ordering = ("-created",)
    fields = (
        "people",
        "used",
        "place",
        "registered",
        "how",
        "registered_from",
        "destinations",
        "app_id",
        "auth_method",
    )
    readonly_fields = fields
    technical_fields = ("how", "registered_from", "destinations", "app_id", "auth_method")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Application]:
        """Annotate every app with the number of users whom it is connected for, and with its last use."""
        used_at = Max("connections__last_used_at")
        apps: QuerySet[Application] = super().get_queryset(request).annotate(used_at=used_at)
        return apps.annotate(connected_by=connected_people())  # type: ignore[no-any-return]

    def delete_hint_of(self, obj: Any) -> Any:
        if obj.connected_by:
            return self.delete_hint
        return gettext(
            "It is not connected. Memories that it has stored stay. To connect, it asks for access as a new app."
        )

    def delete_model(self, request: HttpRequest, obj: Application) -> None:
        """Delete the app with all of its connections."""
        delete_application(obj.pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Delete the apps with all of their connections."""
        for application in queryset:
            delete_application(application.pk)

    def row(self, obj: Any) -> Row:
        first = gettext("first seen {when}").format(when=relative_time(obj.created))
        used = [gettext("used {when}").format(when=relative_time(obj.used_at))] if obj.used_at else []
        return Row(obj.name, said=[self.people(obj), *used, first, self.place(obj)], app=obj.name, is_title=True)

    @admin.display(description=_("connection"))
    def people(self, app: Any) -> str:
        count = app.connected_by
        if count < 2:
            return gettext("connected") if count else gettext("not connected")
        return gettext("connected by {count} people").format(count=count)

    @admin.display(description=_("last used"))
    def used(self, app: Any) -> str:
        return shown_time(app.used_at)

    @admin.display(description=_("where it runs"))
    def place(self, app: Any) -> str:
        """Return the sites to which a login in the app leads back. Programs on a computer or phone have none."""
        uris = str(app.redirect_uris).split()
        sites = sorted({host for uri in uris if uri.startswith("https:") and (host := urlsplit(uri).hostname)})
        return ", ".join(sites) if sites else gettext("on your own device")

    @admin.display(description=_("first seen"), ordering="created")
    def registered(self, app: Any) -> str:
        return date_format(timezone.localtime(app.created))

    @admin.display(description=_("registered"))
    def how(self, app: Any) -> str:
        return gettext("automatically") if app.is_self_registered else gettext("manually")

    @admin.display(description=_("from the address"))
    def registered_from(self, app: Any) -> str:
        return app.registered_from or ""

    @admin.display(description=_("redirect addresses"))
    def destinations(self, app: Any) -> str:
        return str(app.redirect_uris).replace(" ", ", ")

    @admin.display(description=_("id of the app"))
    def app_id(self, app: Any) -> str:
        return str(app.client_id)

    @admin.display(description=_("client authentication"))
    def auth_method(self, app: Any) -> str:
        return gettext(AUTH_METHODS[app.token_endpoint_auth_method])
