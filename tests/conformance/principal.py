"""A principal for the conformance suite, which sends no token: every request gets a token of the owner."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from django.http import HttpRequest, HttpResponse

from oauthserver.connections.scopes import MEMORY_SCOPES
from oauthserver.models import PersonalToken, User
from oauthserver.tokens.access_tokens import token_checksum
from oauthserver.tokens.personal_tokens import PERSONAL_PREFIX


def bring_a_token(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Add the token that a client would send."""

    def bring(request: HttpRequest) -> HttpResponse:
        request.META.setdefault("HTTP_AUTHORIZATION", f"Bearer {_owners_token()}")
        return get_response(request)

    return bring


@cache
def _owners_token() -> str:
    """Return one token for all web processes, since a session belongs to the token that created it."""
    value = PERSONAL_PREFIX + "of-the-conformance-suite"
    PersonalToken.objects.get_or_create(
        token_sha256=token_checksum(value),
        defaults={"user": User.objects.get(), "name": "conformance", "scopes": list(MEMORY_SCOPES)},
    )
    return value
