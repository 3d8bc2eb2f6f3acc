"""Bearer authentication: the principal of a request, or a 401 challenge that says where to request access.

This runs at every call of the API. A token's signature is verified once a minute; whether it was revoked, every time.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from oauthserver.connections.failure_log import Step, record_failure
from oauthserver.connections.scopes import EVERYDAY_SCOPES
from oauthserver.connections.usage import record_use
from oauthserver.resource_server.companion import Companion
from oauthserver.resource_server.principal import Principal
from oauthserver.resource_server.token_cache import TokenCache
from oauthserver.resource_server.token_status import (
    TokenStatus,
    find_app_token,
    find_external_identity,
    find_personal_token,
)
from oauthserver.tokens.access_tokens import TokenError, claimed_client, token_checksum, verify
from oauthserver.tokens.external_issuer import ExternalClaims, is_external, verify_external
from oauthserver.tokens.personal_tokens import PERSONAL_PREFIX
from oauthserver.tokens.resources import metadata_url

SCRIPT_CLIENT = "a personal token"
"""Name under which a connection failure of a personal token is recorded that is not known."""


class Unauthorized(Exception):
    """An error for a request without a valid token, answered with a 401 challenge.

    `reason` is one of missing_token, invalid_format, invalid_token, expired_token, invalid_issuer, invalid_audience,
    missing_claim; `details` is one sentence. `client` is the id of the sender, if the token is known.
    """

    def __init__(self, reason: str, details: str, client: str = "") -> None:
        super().__init__(details)
        self.reason = reason
        self.details = details
        self.client = client


class Forbidden(Exception):
    """An error for a request with a valid token that is refused nevertheless: a 403. `reason` is app_paused."""

    def __init__(self, reason: str, details: str, client: str) -> None:
        super().__init__(details)
        self.reason = reason
        self.details = details
        self.client = client


def authenticate(request: HttpRequest, companion: Companion | None = None) -> Principal:
    """Authenticate the sender of `request` by its Authorization header alone. Raises Unauthorized, Forbidden.

    The values of `companion` are read in the same query.
    """
    return authenticate_header(authorization_header(request), companion)


def authorization_header(request: HttpRequest) -> str:
    """Return the Authorization header, which is enough to authenticate the sender again later; empty if absent."""
    return str(request.META.get("HTTP_AUTHORIZATION", ""))


def authenticate_header(authorization: str, companion: Companion | None = None) -> Principal:
    """Authenticate the sender of an Authorization header as of now. Raises Unauthorized, Forbidden."""
    token = _bearer_token(authorization)
    checksum = token_checksum(token)
    if token.startswith(PERSONAL_PREFIX):
        status = _personal_token_status(checksum, companion)
    elif _is_externally_issued(token, checksum):
        status = _external_token_status(token, checksum, companion)
    else:
        status = _app_token_status(token, checksum, companion)
    principal = status.principal
    if status.is_paused:
        raise Forbidden(
            "app_paused", f"{principal.client_name} is paused. The owner can resume it.", principal.client_id
        )
    _record_use(principal)
    return principal


def record_usage(principal: Principal, *, is_write: bool) -> None:
    """Count a call of `principal` for the owner's pages on apps and tokens."""
    _record_use(principal, reads=int(not is_write), writes=int(is_write))


def _record_use(principal: Principal, *, reads: int = 0, writes: int = 0) -> None:
    if principal.permission is not None:
        record_use(principal.permission, reads=reads, writes=writes)


def record_refusal(request: HttpRequest, reason: str, details: str, client: str = "") -> None:
    """Record a connection failure for the owner, unless the refusal is routine.

    Without the id of a `client`, it is the one that the token claims to be of.
    Every client begins with a call without a token, and renews an expired one. A script cannot renew its personal
    token, so an expired one is recorded.
    """
    _, _, token = authorization_header(request).partition(" ")
    is_personal = token.strip().startswith(PERSONAL_PREFIX)
    if reason == "missing_token" or (reason == "expired_token" and not is_personal):
        return
    step = Step.CALL if token else Step.DISCOVERY
    claimed = SCRIPT_CLIENT if is_personal else claimed_client(token)
    record_failure(request, step, reason, details, client or claimed)


def _app_token_status(token: str, checksum: str, companion: Companion | None) -> TokenStatus:
    _check_signature(token, checksum)
    status = find_app_token(checksum, companion)
    if status is None:
        raise Unauthorized("invalid_token", "The access token was revoked.")
    return status


def _personal_token_status(checksum: str, companion: Companion | None) -> TokenStatus:
    status = find_personal_token(checksum, companion)
    if status is None:
        raise Unauthorized("invalid_token", "The personal token does not exist or was deleted.")
    if status.is_expired:
        details = "The personal token has expired. Create a new one."
        raise Unauthorized("expired_token", details, status.principal.client_id)
    return status


def _external_token_status(token: str, checksum: str, companion: Companion | None) -> TokenStatus:
    claims = _external_claims(token, checksum)
    status = find_external_identity(claims, companion)
    if status is None:
        who = f"{claims.subject[:100]!r} of {settings.OIDC_ISSUER}"
        raise Unauthorized("invalid_token", f"{who} is not allowed here. The owner can add this identity.")
    return status


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
        raise Unauthorized("invalid_format", "The Authorization header must have the form 'Bearer <token>'.")
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
