"""The owner's pages: Django's admin in Unfold's dress."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from unfold.admin import ModelAdmin
from unfold.sites import UnfoldAdminSite

from ownsona_site.dashboard import dashboard


class OwnerAdminSite(UnfoldAdminSite):  # type: ignore[misc]  # the library has no types
    """The admin, with the one login page that all of OwnSona shares. Whoever has an account has memories to manage."""

    index_template = "admin/dashboard.html"
    index_title = "Overview"

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Take in the pages that are written for this site.

        What libraries register of their own is left out: it shows tokens, or means nothing to an owner.
        """
        if admin_class is not None and issubclass(admin_class, ModelAdmin):
            super().register(model_or_iterable, admin_class, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        """Every active user: each sees their own rows only."""
        return request.user.is_active

    def login(self, request: HttpRequest, extra_context: object = None) -> HttpResponseBase:
        """Send to the login page and back."""
        return redirect_to_login(request.GET.get("next") or "/admin/", "/login/")

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The dashboard."""
        assert request.user.pk is not None, "`has_permission` lets nobody in who is not logged in"
        shown = {"dashboard": dashboard(request.user.pk), **(extra_context or {})}
        return super().index(request, shown)  # type: ignore[no-any-return]
