"""The page of the owner's account, with the language of the pages."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from common.pages.owner_pages import owner_page, say
from common.pages.theme import THEMES, chosen_theme
from oauthserver.login.second_factor import is_on
from oauthserver.models import User
from ownsona_site.languages.page_language import language_of


@require_safe
def account_page(request: HttpRequest) -> HttpResponse:
    """Show the name of the user, with links to the password and two-step login, and a button to log out."""
    assert isinstance(request.user, User), "the admin requires a login"
    context = {
        "has_two_steps": is_on(request.user),
        "time_zone": settings.OWNER_TIME_ZONE.key,
        "version": settings.VERSION,
        "languages": settings.LANGUAGES,
        "themes": [(theme, label, theme == chosen_theme(request)) for theme, label in THEMES.items()],
        "add_url": f"{settings.PUBLIC_URL}{reverse('quick_add')}",
    }
    return owner_page(request, "owner/account.html", context, title=gettext("Account"))


@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Store the language of the user's pages; an empty value means that of the browser."""
    assert isinstance(request.user, User), "the admin requires a login"
    language = request.POST.get("language", "")
    if language and language not in dict(settings.LANGUAGES):
        raise BadRequest("There are no pages in this language.")
    request.user.language = language
    request.user.save(update_fields=["language"])
    with translation.override(language_of(request)):
        say(request, gettext("Saved."))
    return redirect("admin:account")
