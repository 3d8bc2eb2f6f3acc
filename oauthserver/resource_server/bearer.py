"""Bearer authentication: the principal of a request, or a 401 challenge that says where to request access.

This runs at every call of the API. A token's signature is verified once a minute; whether it was revoked, every time.
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
"""Prefix of a personal token's number, which takes the place of an app's client id."""

PERMISSION_CHANNEL = "ownsona_permissions"
"""Channel on which PostgreSQL triggers announce changed and ended permissions, by `Principal.permission_name`."""

# One round trip checks that the token was not revoked, the app was not restricted, paused or deleted, and the user is
# active.
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
    """The authenticated sender of a request: an owner, the app or script that acts for them, and what it may do.

    `client_id` is the app's, `token:` and the number of a personal token, or `external:` and the external issuer's id
    of the app. `tags` holds the canonical tags of the visible memories, and `tools` the patterns of the tools that can
    be called; both are empty for no restriction. `profile` is one of `Permission.Profile`. With `quarantine`, memories
    that the caller inferred are quarantined until the owner accepts them. `permission` is None for a program that the
    owner runs next to the database: it needs none, and its use is not counted. `approvals` holds the risks of calls
    that need the owner's approval; with `asks_in_app`, the owner can also be asked in the app.
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
        """The unique name of the permission, such as `connection:12`; None without a permission."""
        return format_permission_key(self.permission) if self.permission else None

    def can_call(self, tool: str) -> bool:
        """Return whether the owner lets this caller use the tool with this name."""
        return not self.tools or matches_any(tool, self.tools)


class Unauthorized(Exception):
    """An error for a request without a valid token, answered with a 401 challenge.

    `reason` is one of missing_token, invalid_format, invalid_token, expired_token, invalid_issuer, invalid_audience,
    missing_claim; `details` is one sentence.
    """

    def __init__(self, reason: str, details: str) -> None:
        super().__init__(details)
        self.reason = reason
        self.details = details


class Forbidden(Exception):
    """An error for a request with a valid token that is refused nevertheless: a 403. `reason` is app_paused."""

    def __init__(self, reason: str, details: str) -> None:
        super().__init__(details)
        self.reason = reason
        self.details = details


def authenticate(request: HttpRequest) -> Principal:
    """Authenticate the sender of `request` by its Authorization header alone. Raises Unauthorized, Forbidden."""
    return authenticate_header(authorization_header(request))


def authorization_header(request: HttpRequest) -> str:
    """Return the Authorization header, which is enough to authenticate the sender again later; empty if absent."""
    return str(request.META.get("HTTP_AUTHORIZATION", ""))


def authenticate_header(authorization: str) -> Principal:
    """Authenticate the sender of an Authorization header as of now. Raises Unauthorized, Forbidden."""
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
    """Count a call of `principal` for the owner's pages on apps and tokens."""
    _record_use(principal, reads=int(not is_write), writes=int(is_write))


def _record_use(principal: Principal, *, reads: int = 0, writes: int = 0) -> None:
    if principal.permission is not None:
        record_use(principal.permission, reads=reads, writes=writes)


def record_refusal(request: HttpRequest, reason: str, details: str) -> None:
    """Record a connection failure for the owner, unless the refusal is routine.

    Every client begins with a call without a token, and renews an expired one. A script cannot renew its personal
    token, so an expired one is recorded.
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
    """Build the principal from a row of a query above. Raises Forbidden when the permission is paused."""
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
    """Return the WWW-Authenticate value (RFC 6750, section 3; RFC 9728, section 5.1) for the URL that was called.

    `scope` is the scope that the client should request, by default that of daily use.
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


# Expiry, in Unix seconds, of the tokens with a verified signature.
_verified_tokens: TokenCache[int] = TokenCache()
_verified_external_tokens: TokenCache[ExternalClaims] = TokenCache()


def _check_signature(token: str, checksum: str) -> None:
    """Verify `token` unless it was verified within the last minute. Raises Unauthorized."""
    if _verified_tokens.get(checksum) is None:
        try:
            expires_at = verify(token)
        except TokenError as error:
            raise Unauthorized(error.reason, str(error)) from None
        _verified_tokens.put(checksum, expires_at, expires_at)


def _is_externally_issued(token: str, checksum: str) -> bool:
    """Return whether `token` is of the external issuer. Tokens in a cache are not parsed: that would take longest."""
    if _verified_tokens.get(checksum) is not None:
        return False
    return _verified_external_tokens.get(checksum) is not None or is_external(token)


def _external_claims(token: str, checksum: str) -> ExternalClaims:
    """Return the claims of `token`; verify it unless that was done within the last minute. Raises Unauthorized."""
    claims = _verified_external_tokens.get(checksum)
    if claims is None:
        try:
            claims = verify_external(token)
        except TokenError as error:
            raise Unauthorized(error.reason, str(error)) from None
        _verified_external_tokens.put(checksum, claims, claims.expires_at)
    return claims


def _quotable(value: str) -> str:
    """Replace quotes, backslashes and all but printable ASCII, which RFC 6750 section 3 forbids in a parameter."""
    return "".join(letter if " " <= letter <= "~" and letter not in '"\\' else "'" for letter in value)
