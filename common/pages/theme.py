"""The theme that the owner has chosen, in a cookie: each device has its own."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

COOKIE = "theme"
SYSTEM = "system"
THEMES = {SYSTEM: _("Same as the device"), "light": _("Light"), "dark": _("Dark")}


def chosen_theme(request: HttpRequest) -> str:
    """Return the chosen theme: a key of THEMES."""
    theme = request.COOKIES.get(COOKIE, SYSTEM)
    return theme if theme in THEMES else SYSTEM
