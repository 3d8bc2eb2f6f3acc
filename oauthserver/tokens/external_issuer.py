"""Access tokens of a second issuer that the owner trusts, such as Keycloak, Auth0 or Entra ID."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jwt
from django.conf import settings

from oauthserver.tokens.access_tokens import TokenError, translate_jwt_errors
from oauthserver.tokens.issuer_keys import IssuerKeys

# Asymmetric algorithms only: with HS256, anyone could sign with the public key as the secret.
ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"},
)
ACCESS_TOKEN_TYPES = frozenset({"", "jwt", "at+jwt", "application/at+jwt"})
# Claims that only ID tokens have (OpenID Connect Core, section 2).
ID_TOKEN_CLAIMS = frozenset({"nonce", "at_hash", "c_hash"})
LEEWAY_SECONDS = 30
MAX_NAME_LENGTH = 255


@dataclass(frozen=True, slots=True)
class ExternalClaims:
    """Claims of a verified token: subject, client id, space-separated scope, and expiry in Unix seconds."""

    subject: str
    client: str
    scope: str
    expires_at: int


def is_external(token: str) -> bool:
    """Return whether `token` claims to be from the trusted issuer. Nothing is verified."""
    if not settings.OIDC_ISSUER:
        return False
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
    except (jwt.InvalidTokenError, ValueError, RecursionError):
        return False
    return bool(claims.get("iss") == settings.OIDC_ISSUER)


def verify_external(token: str) -> ExternalClaims:
    """Verify `token` with the issuer's keys and return its claims. Raises TokenError."""
    with translate_jwt_errors(settings.OIDC_ISSUER, settings.OIDC_AUDIENCE):
        header = jwt.get_unverified_header(token)
        claims = jwt.decode(
            token,
            _key_for(header),
            algorithms=sorted(ALGORITHMS),
            issuer=settings.OIDC_ISSUER,
            audience=settings.OIDC_AUDIENCE,
            leeway=LEEWAY_SECONDS,
            options={"require": ["iss", "sub", "aud", "exp", "iat"]},
        )
    if str(claims.get("typ", "Bearer")).lower() != "bearer" or ID_TOKEN_CLAIMS & claims.keys():
        raise TokenError("invalid_token", "The token is not an access token.")
    subject, client = claims["sub"], _client_in(claims)
    if not (_is_name(subject) and _is_name(client)):
        problem = f"is longer than {MAX_NAME_LENGTH} characters or has characters that are not allowed"
        raise TokenError("invalid_token", f"The token's subject or app {problem}.")
    return ExternalClaims(subject, client, _scope_in(claims), int(claims["exp"]))


def _key_for(header: dict[str, Any]) -> jwt.PyJWK:
    """Return the issuer's key that `header` names, bound to the header's algorithm. Raises TokenError, PyJWTError."""
    if str(header.get("typ") or "").lower() not in ACCESS_TOKEN_TYPES:
        raise TokenError("invalid_token", "The token is not an access token.")
    algorithm = header.get("alg")
    if algorithm not in ALGORITHMS:
        raise TokenError("invalid_token", "The token is signed with an algorithm that is not accepted.")
    keys = issuer_keys(settings.OIDC_ISSUER, settings.OIDC_JWKS_URL)
    key = keys.find(str(header.get("kid", "")))
    if key is None:
        known = "does not have" if len(keys) else "could not be asked for"
        raise TokenError("invalid_token", f"The token names a key that {settings.OIDC_ISSUER} {known}.")
    if key.get("alg", algorithm) != algorithm:
        raise TokenError("invalid_token", "The token's key is for another algorithm.")
    return jwt.PyJWK(key, algorithm)


@functools.lru_cache(maxsize=1)
def issuer_keys(issuer: str, jwks_url: str) -> IssuerKeys:
    """Return the keys of `issuer`, one object per process."""
    return IssuerKeys(issuer, jwks_url)


def _is_name(text: str) -> bool:
    """Return whether `text` can be stored and displayed: short enough, printable."""
    return len(text) <= MAX_NAME_LENGTH and text.isprintable()


def _client_in(claims: dict[str, Any]) -> str:
    """Return the client id: `client_id` (RFC 9068), `azp` (OpenID Connect) or `appid` (Entra ID); else empty."""
    return next((claims[name] for name in ("client_id", "azp", "appid") if isinstance(claims.get(name), str)), "")


def _scope_in(claims: dict[str, Any]) -> str:
    """Return the space-separated scopes from `scope` (RFC 9068) or `scp`, either of which is a string or a list."""
    named = claims.get("scope") or claims.get("scp")
    return named if isinstance(named, str) else " ".join(map(str, named if isinstance(named, list) else []))
