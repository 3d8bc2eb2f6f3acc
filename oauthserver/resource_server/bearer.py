"""From a request to the one who sent it, or to the 401 that tells a client where to ask for access.

This runs at every call of the API: the signature is checked once a minute, whether the token still stands every time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest
from django.utils import timezone

from oauthserver.connections.failure_log import Step, record_failure
from oauthserver.connections.scopes import EVERYDAY_SCOPES, allowed_scopes
from oauthserver.connections.tool_patterns import matches_any
from oauthserver.connections.usage import PermissionKey, format_permission_key, record_use
from oauthserver.models import Connection, ExternalIdentity, Permission, PersonalToken
from oauthserver.resource_server.token_cache import TokenCache
from oauthserver.tokens.access_tokens import TokenError, claimed_client, token_checksum, verify
from oauthserver.tokens.external_issuer import ExternalClaims, is_external, verify_external
from oauthserver.tokens.personal_tokens import PERSONAL_PREFIX
from oauthserver.tokens.resources import metadata_url

PERSONAL_CLIENT = "token:"
"""What stands before the number of a personal token, in the place of an app's client id."""

PERMISSION_CHANNEL = "ownsona_permissions"
"""Where PostgreSQL tells, by triggers, whose permission has changed or ended: `Principal.permission_name`."""

# One round trip proves that nobody revoked the token, narrowed, paused or deleted the app, or locked the person out.
APP_STANDING = """
    SELECT token.user_id, app.client_id, app.name, token.scope, permission.scopes, permission.tags, permission.tools,
           permission.profile, permission.quarantine, permission.approvals, permission.asks_in_app,
           permission.paused_at IS NOT NULL, permission.id
      FROM oauth2_provider_accesstoken AS token
      JOIN oauthserver_application AS app ON app.id = token.application_id
      JOIN oauthserver_user AS person ON person.id = token.user_id AND person.is_active
      JOIN oauthserver_connection AS permission
           ON permission.application_id = token.application_id AND permission.user_id = token.user_id
     WHERE token.token_checksum = %(checksum)s AND token.expires > %(now)s
"""
PERSONAL_STANDING = """
    SELECT permission.user_id, permission.id::text, permission.name, array_to_string(permission.scopes, ' '),
           permission.scopes, permission.tags, permission.tools, permission.profile, permission.quarantine,
           permission.approvals, permission.asks_in_app, permission.paused_at IS NOT NULL, permission.id,
           permission.expires_at <= %(now)s
      FROM oauthserver_personaltoken AS permission
      JOIN oauthserver_user AS person ON person.id = permission.user_id AND person.is_active
     WHERE permission.token_sha256 = %(checksum)s
"""
EXTERNAL_STANDING = """
    SELECT permission.user_id, permission.scopes, permission.tags, permission.tools, permission.profile,
           permission.quarantine, permission.approvals, permission.asks_in_app, permission.paused_at IS NOT NULL,
           permission.id
      FROM oauthserver_externalidentity AS permission
      JOIN oauthserver_user AS person ON person.id = permission.user_id AND person.is_active
     WHERE permission.issuer = %(issuer)s AND permission.subject = %(subject)s
"""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling: a person, through an app or a script of their own, with what that was allowed.

    `client_id` is the app's, `token:` and the number of a personal token, or `external:` and what the external issuer
    calls the app. `tags` names the memories that may be seen; empty for all of them. `tools` are patterns of the tools
    that may be called; empty for all of them. `profile` is one of `Permission.Profile`. With `quarantine` what the
    caller infers waits for the person. `permission` is None for a program that the owner runs themselves, next to the
    database: it needs none, and nothing counts what it does. `approvals` are the risks that the person is asked about
    first: in the app, too, with `asks_in_app`.
    """

    owner_id: int
    client_id: str
    client_name: str
    scopes: frozenset[str]
    tags: tuple[str, ...]
    tools: tuple[str, ...]
    profile: str
    quarantine: bool
    permission: PermissionKey | None
    approvals: frozenset[str] = frozenset()
    asks_in_app: bool = True

    @property
    def permission_name(self) -> str | None:
        """What names the permission among all there are, such as `connection:12`."""
        return format_permission_key(self.permission) if self.permission else None

    def can_call(self, tool: str) -> bool:
        """Whether the tool of this name is among those that the owner lets this caller use."""
        return not self.tools or matches_any(tool, self.tools)


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
    return authenticate_header(authorization_header(request))


def authorization_header(request: HttpRequest) -> str:
    """All that `authenticate` reads of a request: what says later, by itself, whether its sender still may."""
    return str(request.META.get("HTTP_AUTHORIZATION", ""))


def authenticate_header(authorization: str) -> Principal:
    """Who sends this Authorization header now. Raises Unauthorized or Forbidden."""
    token = _bearer_token(authorization)
    checksum = token_checksum(token)
    if token.startswith(PERSONAL_PREFIX):
        principal = _through_personal_token(checksum)
    elif _is_externally_issued(token, checksum):
        principal = _through_external_issuer(token, checksum)
    else:
        _check_signature(token, checksum)
        principal = _through_app(checksum)
    _record_use(principal)
    return principal


def record_usage(principal: Principal, *, is_write: bool) -> None:
    """Count a call that `principal` made, for the page where the owner looks at connected apps."""
    _record_use(principal, reads=int(not is_write), writes=int(is_write))


def _record_use(principal: Principal, *, reads: int = 0, writes: int = 0) -> None:
    if principal.permission is not None:
        record_use(principal.permission, reads=reads, writes=writes)


def record_refusal(request: HttpRequest, reason: str, details: str) -> None:
    """Keep for the owner that a call was refused, unless that is part of everyday life.

    Every client begins with a call without a token, and renews one that has expired; a script cannot renew its own.
    """
    _, _, token = authorization_header(request).partition(" ")
    is_personal = token.strip().startswith(PERSONAL_PREFIX)
    if reason == "missing_token" or (reason == "expired_token" and not is_personal):
        return
    step = Step.CALL if token else Step.DISCOVERY
    record_failure(request, step, reason, details, "a personal token" if is_personal else claimed_client(token))


def _through_app(checksum: str) -> Principal:
    row = _fetch(APP_STANDING, {"checksum": checksum, "now": timezone.now()})
    if row is None:
        raise Unauthorized("invalid_token", "The access token was revoked.")
    return _principal(Connection, row)


def _through_personal_token(checksum: str) -> Principal:
    row = _fetch(PERSONAL_STANDING, {"checksum": checksum, "now": timezone.now()})
    if row is None:
        raise Unauthorized("invalid_token", "There is no such personal token, or it was deleted.")
    user_id, number, *standing, has_expired = row
    if has_expired:
        raise Unauthorized("expired_token", "The personal token has expired. Make a new one.")
    return _principal(PersonalToken, [user_id, PERSONAL_CLIENT + number, *standing])


def _through_external_issuer(token: str, checksum: str) -> Principal:
    claims = _external_claims(token, checksum)
    row = _fetch(EXTERNAL_STANDING, {"issuer": settings.OIDC_ISSUER, "subject": claims.subject})
    if row is None:
        who = f"{claims.subject[:100]!r} of {settings.OIDC_ISSUER}"
        raise Unauthorized("invalid_token", f"Nobody here is known as {who}. The owner can add them.")
    user_id, *standing = row
    client = f"external:{claims.client}", claims.client or claims.subject
    return _principal(ExternalIdentity, [user_id, *client, claims.scope, *standing])


def _fetch(statement: str, parameters: Mapping[str, str | datetime]) -> Sequence[Any] | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        row: Sequence[Any] | None = cursor.fetchone()
    return row


def _principal(kind: type[Permission], row: Sequence[Any]) -> Principal:
    """Raises Forbidden when the permission is paused."""
    user_id, client_id, name, scope, ceiling, tags, tools, profile, *choices, is_paused, permission_id = row
    if is_paused:
        raise Forbidden("app_paused", f"{name or client_id} is paused. The owner can let it in again.")
    scopes = frozenset(allowed_scopes(scope, ceiling))
    quarantine, approvals, asks_in_app = choices
    return Principal(
        owner_id=user_id,
        client_id=client_id,
        client_name=name or client_id,
        scopes=scopes,
        tags=tuple(tags),
        tools=tuple(tools),
        profile=profile,
        quarantine=quarantine,
        permission=(kind, permission_id),
        approvals=frozenset(approvals),
        asks_in_app=asks_in_app,
    )


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


def _bearer_token(authorization: str) -> str:
    header = authorization.strip()
    if not header:
        raise Unauthorized("missing_token", "Send an access token as 'Authorization: Bearer <token>'.")
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or " " in token:
        raise Unauthorized("invalid_format", "The Authorization header is not of the form 'Bearer <token>'.")
    return token


# When the tokens end, in Unix seconds, whose signature needs no second look.
_verified_tokens: TokenCache[int] = TokenCache()
_verified_external_tokens: TokenCache[ExternalClaims] = TokenCache()


def _check_signature(token: str, checksum: str) -> None:
    """Pass a token that was verified now or within the last minute. Raises Unauthorized."""
    if _verified_tokens.get(checksum) is None:
        try:
            expires_at = verify(token)
        except TokenError as error:
            raise Unauthorized(error.reason, str(error)) from None
        _verified_tokens.put(checksum, expires_at, expires_at)


def _is_externally_issued(token: str, checksum: str) -> bool:
    """Whether `token` is of the external issuer: read from it once, as that takes longer than all the rest."""
    if _verified_tokens.get(checksum) is not None:
        return False
    return _verified_external_tokens.get(checksum) is not None or is_external(token)


def _external_claims(token: str, checksum: str) -> ExternalClaims:
    """The claims of a token that was verified now or within the last minute. Raises Unauthorized."""
    claims = _verified_external_tokens.get(checksum)
    if claims is None:
        try:
            claims = verify_external(token)
        except TokenError as error:
            raise Unauthorized(error.reason, str(error)) from None
        _verified_external_tokens.put(checksum, claims, claims.expires_at)
    return claims


def _quotable(value: str) -> str:
    """`value` as it may stand in a quoted parameter: RFC 6750 section 3 allows no quote, backslash or other letter."""
    return "".join(letter if " " <= letter <= "~" and letter not in '"\\' else "'" for letter in value)
