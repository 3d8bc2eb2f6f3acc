"""Public keys of the signing keys: published, and cached by each process."""

from __future__ import annotations

import re
import time
from typing import Any, cast

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.algorithms import RSAAlgorithm

from common.networking.limiter import FixedWindowLimiter
from oauthserver.models import SigningKey
from oauthserver.tokens.signing_keys import needed_keys, signing_key

KEY_ID = re.compile(r"[A-Za-z0-9_-]{43}\Z")
KEY_CACHE_SECONDS = 60
# A forged token can name an unknown key, which costs a query. This limits those queries.
LOOK_UPS_PER_SECOND = 20


class KeyRing:
    """A cache of the public keys, at most a minute old. An unknown key id refreshes it at once."""

    def __init__(self) -> None:
        self._keys: dict[str, RSAPublicKey] = {}
        self._stale_at = 0.0
        self._look_ups = FixedWindowLimiter(LOOK_UPS_PER_SECOND, period_seconds=1)

    def find(self, kid: str) -> RSAPublicKey | None:
        """Return the key with the id `kid`, retired or not, or None if there is none."""
        is_stale = time.monotonic() >= self._stale_at
        if KEY_ID.match(kid) and (is_stale or kid not in self._keys) and self._look_ups.take():
            self._keys = {row.kid: self._keys.get(row.kid) or _read(row) for row in SigningKey.objects.all()}
            self._stale_at = time.monotonic() + KEY_CACHE_SECONDS
        return self._keys.get(kid)


def published_keys() -> list[dict[str, Any]]:
    """Return the public keys as JWKs (RFC 7517), newest first."""
    signing_key()
    return [key.public_jwk for key in needed_keys().order_by("-id")]


def _read(row: SigningKey) -> RSAPublicKey:
    return cast(RSAPublicKey, RSAAlgorithm.from_jwk(row.public_jwk))
