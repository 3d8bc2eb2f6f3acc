"""The page on registered apps, connected or not."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, Max, Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from common.pages.list_rows import ListWords, Row
from common.pages.relative_times import relative_time
from oauthserver.admin.base import AccessAdmin, shown_time
from oauthserver.connections.connection_changes import delete_application
from oauthserver.models import Application


@admin.register(Application)
class ApplicationAdmin(AccessAdmin):
    """The admin of registered apps. They belong to the server, not to a user, so only superusers see them."""

    list_words = ListWords(
        _("No app is registered"),
        _("Apps register themselves when they connect for the first time."),
        intro=_("All apps that this server knows, connected or not."),
        symbol="apps",
    )
    delete_hint = _("Everybody who uses it is disconnected, and it must register again.")
    list_filter = ("registration_source",)
    search_fields = ("name", "redirect_uris")
    ordering = ("-created",)
    fields = ("people", "used", "registered", "how", "destinations", "client_id", "auth_method")
    readonly_fields = fields
    technical_fields = ("client_id", "auth_method")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Application]:
        """Annotate every app with its number of connections and its last use."""
        people, used_at = Count("connections"), Max("connections__last_used_at")
        return super().get_queryset(request).annotate(let_in_by=people, used_at=used_at)  # type: ignore[no-any-return]

    def delete_model(self, request: HttpRequest, obj: Application) -> None:
        """Delete the app with all of its connections."""
        delete_application(obj.pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Delete the apps with all of their connections."""
        for application in queryset:
            delete_application(application.pk)

    def row(self, obj: Any) -> Row:
        registered = gettext("registered {when}").format(when=relative_time(obj.created))
        used = [gettext("used {when}").format(when=relative_time(obj.used_at))] if obj.used_at else []
        connected = gettext("connected by {people}").format(people=self.people(obj))
        return Row(obj.name, said=[connected, *used, registered, self.destinations(obj)], app=obj.name, is_title=True)

    @admin.display(description=_("connected by"))
    def people(self, app: Any) -> str:
        count = app.let_in_by
        return ngettext("{count} person", "{count} people", count).format(count=count) if count else gettext("nobody")

    @admin.display(description=_("last use"))
    def used(self, app: Any) -> str:
        return shown_time(app.used_at)

    @admin.display(description=_("registered"), ordering="created")
    def registered(self, app: Any) -> str:
        day = date_format(timezone.localtime(app.created))
        if not app.registered_from:
            return day
        return gettext("{day} from {address}").format(day=day, address=app.registered_from)

    @admin.display(description=_("registration"))
    def how(self, app: Any) -> str:
        return gettext("automatically") if app.is_self_registered else gettext("manually")

    @admin.display(description=_("redirects to"))
    def destinations(self, app: Any) -> str:
        return str(app.redirect_uris).replace(" ", ", ")

    @admin.display(description=_("client authentication"))
    def auth_method(self, app: Any) -> str:
        return str(app.get_token_endpoint_auth_method_display())
