"""The page of the owner's account."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from common.owner_pages import owner_page
from oauthserver.login.second_factor import is_on
from oauthserver.models import User


@require_safe
def account_page(request: HttpRequest) -> HttpResponse:
    """Show the name of the user, with links to the password and two-step login, and a button to log out."""
    assert isinstance(request.user, User), "the admin requires a login"
    context = {
        "has_two_steps": is_on(request.user),
        "time_zone": settings.OWNER_TIME_ZONE.key,
        "version": settings.VERSION,
        "add_url": f"{settings.PUBLIC_URL}{reverse('quick_add')}",
    }
    return owner_page(request, "owner/account.html", context, title="Account")
