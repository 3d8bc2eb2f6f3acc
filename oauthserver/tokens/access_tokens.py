"""Access tokens: signed JWTs with the profile of RFC 9068."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jwt
from django.conf import settings

from oauthserver.tokens.public_keys import KeyRing
from oauthserver.tokens.resources import audience
from oauthserver.tokens.signing_keys import ALGORITHM, signing_key

TOKEN_TYPE = "at+jwt"  # noqa: S105  # a media type, not a password
REQUIRED_CLAIMS = ("iss", "sub", "aud", "exp", "iat", "nbf", "jti", "client_id", "scope")

LEEWAY_SECONDS = 60
"""Seconds that `iat` and `nbf` may lie in the future: clock corrections can move the clock back."""

_key_ring = KeyRing()


class TokenError(Exception):
    """An invalid token. `reason` is a reason of a 401 response (see bearer.py), and `str(error)` is one sentence."""

    def __init__(self, reason: str, details: str) -> None:
        super().__init__(details)
        self.reason = reason


def token_checksum(token: str) -> str:
    """Return the hexadecimal SHA-256 of `token`, by which its row is found without storing the token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def mint(*, user_id: int, client_id: str, scope: str) -> str:
    """Sign a new access token for `audience()`, valid for ACCESS_TOKEN_LIFETIME_SECONDS from now."""
    now = int(time.time())
    key = signing_key()
    claims = {
        "iss": settings.PUBLIC_URL,
        "sub": str(user_id),
        "aud": audience(),
        "exp": now + settings.ACCESS_TOKEN_LIFETIME_SECONDS,
        "iat": now,
        "nbf": now,
        "jti": secrets.token_urlsafe(16),
        "client_id": client_id,
        "scope": scope,
    }
    return jwt.encode(claims, key.key, algorithm=ALGORITHM, headers={"kid": key.kid, "typ": TOKEN_TYPE})


@contextmanager
def translate_jwt_errors(issuer: str, expected_audience: str) -> Iterator[None]:
    """Translate PyJWT's errors inside the block into TokenError with the reason of a 401 response."""
    try:
        yield
    except jwt.ExpiredSignatureError:
        raise TokenError("expired_token", "The access token has expired.") from None
    except jwt.InvalidIssuerError:
        raise TokenError("invalid_issuer", f"The token was not issued by {issuer}.") from None
    except jwt.InvalidAudienceError:
        raise TokenError("invalid_audience", f"The token is not meant for {expected_audience}.") from None
    except jwt.MissingRequiredClaimError as error:
        raise TokenError("missing_claim", f"The token lacks the claim {error.claim!r}.") from None
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise TokenError("invalid_token", "The access token is not valid.") from None


def verify(token: str) -> int:
    """Verify `token` (RFC 9068, section 4) and return when it expires, in Unix seconds. Raises TokenError."""
    return int(verified_claims(token)["exp"])


def verified_claims(token: str) -> dict[str, Any]:
    """Verify `token` (RFC 9068, section 4) and return its claims. Raises TokenError."""
    with translate_jwt_errors(settings.PUBLIC_URL, audience()):
        header = jwt.get_unverified_header(token)
        if str(header.get("typ", "")).lower().removeprefix("application/") != TOKEN_TYPE:
            raise TokenError("invalid_token", f"The token is not an access token (typ must be {TOKEN_TYPE}).")
        key = _key_ring.find(str(header.get("kid", "")))
        if key is None:
            raise TokenError("invalid_token", "The token was signed with a key that is unknown to this server.")
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[ALGORITHM],
            issuer=settings.PUBLIC_URL,
            audience=audience(),
            options={"require": list(REQUIRED_CLAIMS), "verify_iat": False, "verify_nbf": False},
        )
        if max(int(claims["iat"]), int(claims["nbf"])) > time.time() + LEEWAY_SECONDS:
            raise TokenError(
                "invalid_token", "The access token is not valid yet: the server's clock was set back. Renew the token."
            )
    return claims


def claimed_client(token: str) -> str:
    """Return the unverified client id in `token`; empty if it cannot be read."""
    try:
        return str(jwt.decode(token, options={"verify_signature": False}).get("client_id", ""))
    except (jwt.InvalidTokenError, ValueError, RecursionError):
        return ""
