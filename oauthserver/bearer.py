"""From a request to the one who sent it, or to the 401 that tells a client where to ask for access.

This runs at every call of the API: the signature is checked once a minute, whether the token still stands every time.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass

from django.db import connection
from django.http import HttpRequest
from django.utils import timezone

from oauthserver.resources import metadata_url
from oauthserver.scopes import EVERYDAY_SCOPES
from oauthserver.tokens import Claims, TokenError, verify

REMEMBERED_SECONDS = 60
REMEMBERED_TOKENS = 2048

# One round trip proves that nobody revoked the token, deleted or paused the app, or locked the person out.
STANDING = """
    SELECT token.user_id, token.scope, app.client_id, app.name, app.paused_at IS NOT NULL
      FROM oauth2_provider_accesstoken AS token
      JOIN oauthserver_application AS app ON app.id = token.application_id
      JOIN oauthserver_user AS person ON person.id = token.user_id AND person.is_active
     WHERE token.token_checksum = %s AND token.expires > %s
"""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling: a person, through an app, with what that app was allowed."""

    user_id: int
    client_id: str
    client_name: str
    scopes: frozenset[str]
    token_id: str


class Unauthorized(Exception):
    """No valid token came with the request: answer 401 with a challenge.

    `reason` is one of missing_token, invalid_format, invalid_token, expired_token, invalid_issuer, invalid_audience,
    missing_claim; `details` is one sentence.
    """

    def __init__(self, reason: str, details: str) -> None:
        super().__init__(details)
        self.reason = reason
        self.details = details


class Forbidden(Exception):
    """The token is valid and the request is refused all the same: answer 403. `reason` is app_paused."""

    def __init__(self, reason: str, details: str) -> None:
        super().__init__(details)
        self.reason = reason
        self.details = details


def authenticate(request: HttpRequest) -> Principal:
    """The one who sent `request`, by its Authorization header alone. Raises Unauthorized or Forbidden."""
    token = _bearer_token(request)
    checksum = hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
    claims = _verified_claims(token, checksum)
    with connection.cursor() as cursor:
        cursor.execute(STANDING, [checksum, timezone.now()])
        row = cursor.fetchone()
    if row is None:
        raise Unauthorized("invalid_token", "The access token was revoked.")
    user_id, scope, client_id, client_name, is_paused = row
    if is_paused:
        raise Forbidden("app_paused", f"{client_name or client_id} is paused. The owner can let it in again.")
    return Principal(user_id, client_id, client_name or client_id, frozenset(scope.split()), claims.token_id)


def challenge(
    request: HttpRequest, *, error: str | None = None, description: str | None = None, scope: str | None = None
) -> str:
    """The value of WWW-Authenticate (RFC 6750, section 3; RFC 9728, section 5.1) for the URL that was called.

    `scope` is what a client should ask for; by default what daily use needs.
    """
    parameters = {
        "error": error,
        "error_description": description,
        "scope": scope or " ".join(EVERYDAY_SCOPES),
        "resource_metadata": metadata_url(request),
    }
    return "Bearer " + ", ".join(f'{name}="{_quotable(value)}"' for name, value in parameters.items() if value)


def _bearer_token(request: HttpRequest) -> str:
    header = str(request.META.get("HTTP_AUTHORIZATION", "")).strip()
    if not header:
        raise Unauthorized("missing_token", "Send an access token as 'Authorization: Bearer <token>'.")
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or " " in token:
        raise Unauthorized("invalid_format", "The Authorization header is not of the form 'Bearer <token>'.")
    return token


_remembered: dict[str, tuple[Claims, float]] = {}


def _verified_claims(token: str, checksum: str) -> Claims:
    """The claims of `token`, verified now or within the last minute. Raises Unauthorized."""
    now = time.time()
    claims, verified_at = _remembered.get(checksum, (None, 0.0))
    if claims is not None and now - verified_at < REMEMBERED_SECONDS and now < claims.expires_at:
        return claims
    try:
        claims = verify(token)
    except TokenError as error:
        _remembered.pop(checksum, None)
        raise Unauthorized(error.reason, str(error)) from None
    if len(_remembered) >= REMEMBERED_TOKENS:
        _remembered.clear()
    _remembered[checksum] = (claims, now)
    return claims


def _quotable(value: str) -> str:
    """`value` as it may stand in a quoted parameter: RFC 6750 section 3 allows no quote, backslash or other letter."""
    return "".join(letter if " " <= letter <= "~" and letter not in '"\\' else "'" for letter in value)
