"""The owner's pages: Django's admin in Unfold's dress."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase
from unfold.sites import UnfoldAdminSite


class OwnerAdminSite(UnfoldAdminSite):
    """The admin, with the one login page that all of OwnSona shares."""

    def login(self, request: HttpRequest, extra_context: object = None) -> HttpResponseBase:
        """Send to the login page and back."""
        return redirect_to_login(request.GET.get("next") or "/admin/", "/login/")
