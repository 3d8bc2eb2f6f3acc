"""Bearer tokens that a person makes for scripts of their own: no app, no login, no renewal."""

from __future__ import annotations

import secrets

from oauthserver.tokens.access_tokens import token_checksum

PERSONAL_PREFIX = "ownsona_"
"""How a personal token begins, so that people and secret scanners know one when they see it."""

RANDOM_BYTES = 32


def generate_personal_token() -> tuple[str, str]:
    """A new token's value, which is shown once, and the checksum of it that is stored."""
    value = PERSONAL_PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    return value, token_checksum(value)
