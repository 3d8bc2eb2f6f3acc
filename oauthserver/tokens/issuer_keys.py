"""Public keys of an external issuer: discovery, a limited fetch rate, and a cache that survives failed fetches."""

from __future__ import annotations

import json
import logging
import time
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from common.networking.addresses import can_be_server
from common.networking.limiter import FixedWindowLimiter
from common.networking.outbound import FetchError, NetworkPolicy, fetch

LIFETIME_SECONDS = 3600
# A forged token can name any key id. An unknown one triggers a fetch, so fetches are limited.
SECONDS_BETWEEN_FETCHES = 30
DEADLINE_SECONDS = 5.0
MAX_BYTES = 256 * 1024
# How long other callers wait while the first keys are being fetched.
FIRST_KEYS_SECONDS = 0.5

logger = logging.getLogger(__name__)


class IssuerKeys:
    """The signing keys of `issuer` as JWKs (RFC 7517), from `jwks_url` or the URL in its metadata. Thread-safe.

    The issuer may be in the owner's private network, since the owner configured it. One caller at a time fetches the
    keys, for at most `DEADLINE_SECONDS`. Meanwhile, other callers use the cached keys; if there are none, they wait for
    at most `FIRST_KEYS_SECONDS`.
    """

    def __init__(self, issuer: str, jwks_url: str = "") -> None:
        self._issuer = issuer
        self._jwks_url = jwks_url
        self._keys: dict[str, dict[str, Any]] = {}
        self._stale_at = 0.0
        self._fetches = FixedWindowLimiter(1, SECONDS_BETWEEN_FETCHES)
        self._lock = Lock()
        self._network = NetworkPolicy(is_allowed=can_be_server, port=None)

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, kid: str) -> dict[str, Any] | None:
        """Return the key with the id `kid`, or None if the issuer does not have it or cannot be reached."""
        if self._needs_fetch(kid) and self._lock.acquire(timeout=0 if self._keys else FIRST_KEYS_SECONDS):
            try:
                # Another caller may have fetched the keys while this one waited for the lock.
                if self._needs_fetch(kid) and self._fetches.take():
                    self._fetch()
            finally:
                self._lock.release()
        return self._keys.get(kid)

    def _needs_fetch(self, kid: str) -> bool:
        return kid not in self._keys or time.monotonic() >= self._stale_at

    def _fetch(self) -> None:
        deadline = time.monotonic() + DEADLINE_SECONDS
        try:
            keys = self._json_at(self._jwks_url or self._discovered_url(deadline), deadline)["keys"]
            self._keys = {key["kid"]: key for key in keys if _is_signing_key(key)}
        except (FetchError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            logger.warning("The keys of %s cannot be fetched: %s", self._issuer, str(error) or type(error).__name__)
        else:
            self._stale_at = time.monotonic() + LIFETIME_SECONDS

    def _discovered_url(self, deadline: float) -> str:
        """Return the `jwks_uri` of the metadata (OpenID Connect Discovery, section 4; RFC 8414, section 3).

        Raises FetchError, or ValueError when the metadata names another issuer or a URL that is not allowed.
        """
        parts = urlsplit(self._issuer)
        path = parts.path.rstrip("/")
        origin = f"{parts.scheme}://{parts.netloc}"
        try:
            metadata = self._json_at(f"{origin}{path}/.well-known/openid-configuration", deadline)
        except FetchError:
            metadata = self._json_at(f"{origin}/.well-known/oauth-authorization-server{path}", deadline)
        if metadata["issuer"] != self._issuer:
            raise ValueError(f"its metadata names another issuer, {metadata['issuer']!r}")
        url: str = metadata["jwks_uri"]
        if not (url.isascii() and url.startswith(("https://", f"{origin}/"))):
            raise ValueError(f"its keys are at {url!r}, which is not an https URL")
        return url

    def _json_at(self, url: str, deadline: float) -> Any:
        return json.loads(fetch(url, self._network, deadline, MAX_BYTES).content)


def _is_signing_key(key: dict[str, Any]) -> bool:
    return isinstance(key.get("kid"), str) and key.get("use", "sig") == "sig"
