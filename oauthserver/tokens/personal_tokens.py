"""Personal tokens: bearer tokens that an owner creates for scripts, without an app, login or renewal."""

from __future__ import annotations

import secrets

from oauthserver.tokens.access_tokens import token_checksum

PERSONAL_PREFIX = "ownsona_"
"""Prefix of every personal token, by which people and secret scanners recognize it."""

RANDOM_BYTES = 32


def generate_personal_token() -> tuple[str, str]:
    """Generate a token. Return its value, which is shown once, and its checksum, which is stored."""
    value = PERSONAL_PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    return value, token_checksum(value)
