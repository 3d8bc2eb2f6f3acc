"""The public keys of an external issuer: found by discovery, kept while it is down, and never asked for too often."""

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
# Anyone can name a key that nobody knows. The issuer is asked about it, but not for each of them.
SECONDS_BETWEEN_FETCHES = 30
DEADLINE_SECONDS = 5.0
MAX_BYTES = 256 * 1024
# How long those wait who come while the very first keys are on their way.
FIRST_KEYS_SECONDS = 0.5

logger = logging.getLogger(__name__)


class IssuerKeys:
    """The signing keys of `issuer`, as JWKs (RFC 7517), from `jwks_url` or from where its metadata says. Thread-safe.

    The owner has named the issuer, so it may well be inside their network. One caller at a time asks it, for at most
    `DEADLINE_SECONDS`. Meanwhile the others make do with the keys that are known; if there are none, they wait for
    `FIRST_KEYS_SECONDS`.
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
        """The key named `kid`; None when the issuer does not have it, or could not be asked."""
        if self._needs_fetch(kid) and self._lock.acquire(timeout=0 if self._keys else FIRST_KEYS_SECONDS):
            try:
                # Whoever has waited here may find that there is nothing left to do.
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
        """Where the metadata says that the keys are (OpenID Connect Discovery, section 4; RFC 8414, section 3)."""
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
            raise ValueError(f"its keys are at {url!r}, which is no https URL")
        return url

    def _json_at(self, url: str, deadline: float) -> Any:
        return json.loads(fetch(url, self._network, deadline, MAX_BYTES).content)


def _is_signing_key(key: dict[str, Any]) -> bool:
    return isinstance(key.get("kid"), str) and key.get("use", "sig") == "sig"
