"""Client secrets at rest: salted SHA-256.

A slow hash protects a password that a person chose. These secrets have 256 random bits, which no one can guess
however fast the hash, and a slow one would cost a quarter of a second at every token request.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

SECRET_BYTES = 32
SALT_BYTES = 16


def new_secret() -> str:
    """A new secret, 43 URL-safe characters."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hash_secret(secret: str) -> str:
    """`salt$digest`, both in hexadecimal."""
    salt = secrets.token_hex(SALT_BYTES)
    return f"{salt}${_digest(salt, secret)}"


def secret_matches(secret: str, stored: str) -> bool:
    """Whether `secret` is the one that `stored` was made from, in constant time. A blank one never is."""
    salt, _, digest = stored.partition("$")
    return bool(secret and salt and digest) and hmac.compare_digest(_digest(salt, secret), digest)


def _digest(salt: str, secret: str) -> str:
    return hashlib.sha256(f"{salt}{secret}".encode("utf-8", "surrogatepass")).hexdigest()
