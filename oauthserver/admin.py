"""The owner's pages on who may use the memories: connected apps and their tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NoReturn

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Count, Model, Q, QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from oauth2_provider.models import AccessToken
from unfold.admin import ModelAdmin
from unfold.decorators import display

from oauthserver.connections import disconnect, revoke_token
from oauthserver.models import Application
from oauthserver.scopes import SCOPES


class AccessAdmin(ModelAdmin):  # type: ignore[misc]  # the library has no types
    """Rows that apps make and the owner looks at or takes away; an unknown id is a 404."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: object, object_id: str) -> NoReturn:
        raise Http404


@admin.register(Application)
class ApplicationAdmin(AccessAdmin):
    """Apps belong to the server, not to one user: only a superuser sees them."""

    list_display = ("name", "state", "live_tokens", "used", "registered", "how", "destinations")
    list_filter = ("registration_source",)
    search_fields = ("name", "redirect_uris")
    ordering = ("-created",)
    sortable_by = ("name",)
    actions = ("revoke", "pause", "resume")
    fields = ("name", "state", "live_tokens", "used", "registered", "how", "destinations", "client_id", "auth_method")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Application]:
        """Every app, with its number of tokens that it can still use or renew."""
        live = Q(accesstoken__refresh_token__revoked=None, accesstoken__refresh_token__isnull=False)
        live |= Q(accesstoken__expires__gt=timezone.now())
        apps: QuerySet[Application] = super().get_queryset(request).annotate(tokens=Count("accesstoken", filter=live))
        return apps

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """What the page before a deletion lists: the apps. Their tokens go with them, and nobody may keep those."""
        apps = list(objs)
        return [str(app) for app in apps], {"apps": len(apps)}, set(), []

    @display(description="state", label={"connected": "success", "paused": "warning"})  # type: ignore[untyped-decorator]
    def state(self, app: Any) -> str:
        if app.paused_at:
            return "paused"
        return "connected" if app.tokens else "not connected"

    @admin.display(description="tokens")
    def live_tokens(self, app: Any) -> int:
        return int(app.tokens)

    @admin.display(description="last token", ordering="last_used_at")
    def used(self, app: Application) -> str:
        return date_format(app.last_used_at, "DATETIME_FORMAT") if app.last_used_at else "never"

    @admin.display(description="registered", ordering="created")
    def registered(self, app: Any) -> str:
        origin = f" from {app.registered_from}" if app.registered_from else ""
        return f"{date_format(app.created)}{origin}"

    @admin.display(description="how")
    def how(self, app: Any) -> str:
        return "by itself" if app.is_self_registered else "by hand"

    @admin.display(description="sends you back to")
    def destinations(self, app: Any) -> str:
        return str(app.redirect_uris).replace(" ", ", ")

    @admin.display(description="how it proves itself")
    def auth_method(self, app: Any) -> str:
        return str(app.get_token_endpoint_auth_method_display())

    @admin.action(description="Revoke all tokens")
    def revoke(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Each app has to ask again."""
        count = sum(disconnect(application) for application in queryset)
        messages.success(request, f"{count} tokens revoked. An app whose tokens are gone has to ask you again.")

    @admin.action(description="Pause")
    def pause(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Refuse the apps until they are resumed; their tokens stay."""
        count = Application.objects.filter(pk__in=queryset.values("pk"), paused_at=None).update(
            paused_at=timezone.now()
        )
        messages.success(request, f"{count} paused: everything that they ask is refused until you resume them.")

    @admin.action(description="Resume")
    def resume(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Let paused apps go on with the tokens that they have."""
        count = Application.objects.filter(pk__in=queryset.values("pk"), paused_at__isnull=False).update(paused_at=None)
        messages.success(request, f"{count} resumed.")


@admin.register(AccessToken)
class AccessTokenAdmin(AccessAdmin):
    """What each app was granted. A user sees their own tokens only, and nobody sees a token's value."""

    list_display = ("app", "may", "state", "valid", "renewable", "granted")
    list_display_links = None
    list_select_related = ("application", "refresh_token")
    ordering = ("-created",)
    sortable_by = ()
    actions = ("revoke",)
    fields = ("app", "may", "state", "valid", "renewable", "granted")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[AccessToken]:
        tokens: QuerySet[AccessToken] = super().get_queryset(request)
        return tokens.filter(user_id=request.user.pk)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.display(description="app")
    def app(self, token: AccessToken) -> str:
        return str(token.application)

    @admin.display(description="may")
    def may(self, token: AccessToken) -> str:
        return "; ".join(SCOPES[name].title for name in token.scope.split() if name in SCOPES)

    @display(description="state", label={"live": "success", "asleep": "info"})  # type: ignore[untyped-decorator]
    def state(self, token: AccessToken) -> str:
        if token.expires > timezone.now():
            return "live"
        return "asleep" if _renewable_until(token) else "expired"

    @admin.display(description="valid until")
    def valid(self, token: AccessToken) -> str:
        return date_format(token.expires, "DATETIME_FORMAT")

    @admin.display(description="renewable until")
    def renewable(self, token: AccessToken) -> str:
        return date_format(until) if (until := _renewable_until(token)) else "no"

    @admin.display(description="granted")
    def granted(self, token: AccessToken) -> str:
        return date_format(token.created, "DATETIME_FORMAT")

    @admin.action(description="Revoke")
    def revoke(self, request: HttpRequest, queryset: QuerySet[AccessToken]) -> None:
        """End the tokens and what renews them."""
        tokens = list(queryset)
        for token in tokens:
            revoke_token(token)
        messages.success(request, f"{len(tokens)} revoked: the app is refused at its next call.")


def _renewable_until(token: AccessToken) -> Any:
    """When the refresh token ends unless it is used; None where there is none that works."""
    refresh_token = getattr(token, "refresh_token", None)
    if refresh_token is None or refresh_token.revoked:
        return None
    until = refresh_token.created + timedelta(seconds=settings.REFRESH_TOKEN_LIFETIME_SECONDS)
    return until if until > timezone.now() else None
