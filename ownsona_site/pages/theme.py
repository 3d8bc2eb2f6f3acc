"""The choice between the light and the dark theme."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from common.pages.theme import COOKIE, SYSTEM, THEMES

YEAR = 365 * 86_400


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Store the theme in a cookie. Raises BadRequest for an unknown one."""
    theme = request.POST.get("theme", "")
    if theme not in THEMES:
        raise BadRequest(f"theme: must be one of {', '.join(THEMES)}.")
    response = redirect("admin:account")
    if theme == SYSTEM:
        response.delete_cookie(COOKIE, samesite="Lax")
    else:
        secure = bool(settings.SESSION_COOKIE_SECURE)
        response.set_cookie(COOKIE, theme, max_age=YEAR, httponly=True, samesite="Lax", secure=secure)
    return response
