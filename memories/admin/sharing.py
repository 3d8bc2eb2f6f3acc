"""The share target of the web app: texts that other apps share with it."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

PARTS = ("title", "text", "url")
"""Fields of a shared page or text, as the web app's manifest names them."""

SHARED = "shared"
"""Query parameter of the form for what is in the session, and the key there. TOO_LONG: it could not be kept."""

TOO_LONG = "again"
MAX_ADDRESS_CHARS = 2_000
"""Characters of an address that every proxy and browser accepts."""


# A share has no CSRF token. It stores no memory, and a cross-site form is sent without the cookie of the session,
# which is `SameSite=Lax`.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def share_target(request: HttpRequest) -> HttpResponse:
    """Keep what was shared in the session, and show it in the form, where the owner confirms or discards it.

    Without a share, as after a reload, show the empty form. Without a login, nothing is kept on the server: what fits
    into an address survives the login in it.
    """
    if request.method != "POST":
        return redirect("quick_add")
    if request.headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"}:
        raise SuspiciousOperation("A text was shared from another site.")
    text = joined_parts(request.POST)
    if not admin.site.has_permission(request):
        return redirect_to_login(_address_with(text), reverse("admin:login"))
    request.session[SHARED] = text
    return redirect(f"{reverse('quick_add')}?{urlencode({SHARED: 1})}")


def joined_parts(given: QueryDict) -> str:
    """Return what another app shared, each part once: browsers often repeat the address in the text."""
    parts: list[str] = []
    for name in PARTS:
        value = given.get(name, "").replace("\x00", "").strip()
        if value and not any(value in part for part in parts):
            parts.append(value)
    return "\n".join(parts)[: settings.MAX_TEXT_CHARS]


def _address_with(text: str) -> str:
    """Return the address of the form with the text, or with the request to share it again."""
    address = f"{reverse('quick_add')}?{urlencode({'text': text})}"
    if len(address) <= MAX_ADDRESS_CHARS:
        return address
    return f"{reverse('quick_add')}?{urlencode({SHARED: TOO_LONG})}"
