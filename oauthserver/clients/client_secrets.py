"""Client secrets, stored as salted SHA-256 digests.

Slow hashes protect passwords that people choose. These secrets have 256 random bits, which cannot be guessed even with
a fast hash, and a slow one would cost a quarter of a second at every token request.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

SECRET_BYTES = 32
SALT_BYTES = 16


def new_secret() -> str:
    """Generate a secret of 43 URL-safe characters."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hash_secret(secret: str) -> str:
    """Return `salt$digest`, both in hexadecimal, with a new salt."""
    salt = secrets.token_hex(SALT_BYTES)
    return f"{salt}${_digest(salt, secret)}"


def secret_matches(secret: str, stored: str) -> bool:
    """Return whether `secret` matches the `salt$digest` in `stored`, in constant time. An empty one never does."""
    salt, _, digest = stored.partition("$")
    return bool(secret and salt and digest) and hmac.compare_digest(_digest(salt, secret), digest)


def _digest(salt: str, secret: str) -> str:
    return hashlib.sha256(f"{salt}{secret}".encode("utf-8", "surrogatepass")).hexdigest()
