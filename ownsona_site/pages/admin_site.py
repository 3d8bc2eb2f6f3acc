"""Admin site with the owner's pages: Django's admin in the design of docs/design-language.md."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.views import LogoutView, redirect_to_login
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, include, path, reverse
from django.utils.translation import gettext

from common.pages.admin import StrictModelAdmin
from common.pages.deletion import delete_selected_rows
from common.pages.owner_pages import OWNER_POLICY, owner_page
from oauthserver.login.password_page import PasswordPage
from ownsona_site.pages.form_pages import page_of_form
from ownsona_site.pages.shell import Shell

IDS = re.compile(r"[0-9]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Ids of rows: numbers and UUIDs."""

MEMORIES = "memories_memory_changelist"
SEEN_IDS = re.compile(r"[0-9]+(?:-[0-9a-f]{16})?")
"""Ids of memories, with the digests of `memories.admin.seen_texts`."""


def reject_malformed(request: HttpRequest) -> None:
    """Raise BadRequest for input that the admin would pass to the database unchecked, which would fail there."""
    if any("\x00" in value for name in request.GET for value in request.GET.getlist(name)):
        raise BadRequest("The address contains a NUL character.")
    chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
    is_of_memories = request.resolver_match is not None and request.resolver_match.url_name == MEMORIES
    if not all((SEEN_IDS if is_of_memories else IDS).fullmatch(value) for value in chosen):
        raise BadRequest("The selection is not a list of ids.")


def not_allowed(request: HttpRequest, refusal: HttpResponseBase) -> HttpResponseBase:
    """Return the page for an address that only forms are sent to, which somebody has opened."""
    page = owner_page(request, "owner/not_found.html", {}, title=gettext("Page not found"), status=405)
    page.headers["Allow"] = refusal.headers["Allow"]
    return page


_AdminSite: Any = admin.AdminSite
"""Django's class without its types, which allow no redirect in place of a page."""


class OwnerAdminSite(_AdminSite):  # type: ignore[misc]  # has no types
    """The admin site, with the login page of the whole site. Every user has access, to manage their own memories."""

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register only pages that are written for this site, which use StrictModelAdmin.

        Pages that libraries register are ignored: they show tokens or are of no use to an owner.
        """
        if admin_class is not None and issubclass(admin_class, StrictModelAdmin):
            super().register(model_or_iterable, admin_class, **options)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.add_action(delete_selected_rows, "delete_selected")

    def has_permission(self, request: HttpRequest) -> bool:
        """Allow every active user. Each user sees only their own rows."""
        return request.user.is_active

    def admin_view(self, view: Callable[..., HttpResponseBase], cacheable: bool = False) -> Any:
        """Wrap `view`: require permission, reject malformed requests, and set the content security policy of the
        owner's pages. A form that is sent after the session has ended leads back to its page.
        """

        @functools.wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            reject_malformed(request)
            response = view(request, *args, **kwargs)
            if response.status_code == 405 and request.method == "GET":
                response = not_allowed(request, response)
            response.headers.setdefault("Content-Security-Policy", OWNER_POLICY)
            return response

        page: Callable[..., HttpResponseBase] = super().admin_view(checked, cacheable)

        @functools.wraps(page)
        def with_way_back(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            is_logout = request.path == reverse("admin:logout")
            if request.method == "POST" and not is_logout and not self.has_permission(request):
                return redirect_to_login(page_of_form(request), f"{reverse('admin:login')}?ended=1")
            return page(request, *args, **kwargs)

        return with_way_back

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return what every page needs: Django's settings, and the frame of the page as `shell`."""
        return {**super().each_context(request), "shell": Shell(request)}

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return no list of Django's apps: the navigation is in `areas.py`."""
        return []

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return Django's URLs and those of the pages that are not lists of rows."""
        return [path("", include("ownsona_site.pages.site_urls")), *super().get_urls()]

    def login(self, request: HttpRequest, extra_context: object = None) -> HttpResponseBase:
        """Redirect to the site's login page, which redirects back."""
        login = "/login/?ended=1" if "ended" in request.GET else "/login/"
        return redirect_to_login(request.GET.get("next") or "/admin/", login)

    def logout(self, request: HttpRequest, extra_context: object = None) -> HttpResponseBase:
        """Log out (POST) and redirect to the site's login page."""
        return LogoutView.as_view(next_page="/login/")(request)

    def password_change(self, request: HttpRequest, extra_context: object = None) -> HttpResponseBase:
        """Return the site's page for changing the password, which accepts the same input as the login page."""
        return PasswordPage.as_view()(request)

    def password_change_done(self, request: HttpRequest, extra_context: object = None) -> HttpResponseBase:
        """Redirect Django's page about a changed password to the account, which says it."""
        return redirect("admin:account")

    def app_index(
        self, request: HttpRequest, app_label: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        """Redirect the page of a Django app to the overview: the division into apps means nothing to an owner."""
        return redirect("admin:index")
