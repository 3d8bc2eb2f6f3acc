"""The public keys of an external issuer: found by discovery, kept while it is down, and never asked for too often."""

from __future__ import annotations

import logging
import time
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import httpx

from oauthserver.allowance import Allowance

LIFETIME_SECONDS = 3600
# Anyone can name a key that nobody knows. The issuer is asked about it, but not for each of them.
SECONDS_BETWEEN_FETCHES = 30
TIMEOUT_SECONDS = 5.0

logger = logging.getLogger(__name__)


class IssuerKeys:
    """The signing keys of `issuer`, as JWKs (RFC 7517), from `jwks_url` or from where its metadata says. Thread-safe.

    The owner has named the issuer, so it may well be inside their network.
    """

    def __init__(self, issuer: str, jwks_url: str = "") -> None:
        self._issuer = issuer
        self._jwks_url = jwks_url
        self._keys: dict[str, dict[str, Any]] = {}
        self._stale_at = 0.0
        self._fetches = Allowance(1, SECONDS_BETWEEN_FETCHES)
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, kid: str) -> dict[str, Any] | None:
        """The key named `kid`; None when the issuer does not have it, or could not be asked."""
        if self._needs_fetch(kid) and self._lock.acquire(blocking=kid not in self._keys):
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
        try:
            with httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False) as client:
                url = self._jwks_url or self._discovered_url(client)
                self._keys = {key["kid"]: key for key in _json_at(client, url)["keys"] if _is_signing_key(key)}
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, LookupError, TypeError, AttributeError) as error:
            logger.warning("The keys of %s cannot be fetched: %s", self._issuer, str(error) or type(error).__name__)
        else:
            self._stale_at = time.monotonic() + LIFETIME_SECONDS

    def _discovered_url(self, client: httpx.Client) -> str:
        """Where the metadata says that the keys are (OpenID Connect Discovery, section 4; RFC 8414, section 3)."""
        parts = urlsplit(self._issuer)
        path = parts.path.rstrip("/")
        origin = f"{parts.scheme}://{parts.netloc}"
        try:
            metadata = _json_at(client, f"{origin}{path}/.well-known/openid-configuration")
        except httpx.HTTPStatusError:
            metadata = _json_at(client, f"{origin}/.well-known/oauth-authorization-server{path}")
        if metadata["issuer"] != self._issuer:
            raise ValueError(f"its metadata names another issuer, {metadata['issuer']!r}")
        url: str = metadata["jwks_uri"]
        if urlsplit(url).scheme != "https" and urlsplit(url).netloc != parts.netloc:
            raise ValueError(f"its keys are at {url!r}, which is not https")
        return url


def _json_at(client: httpx.Client, url: str) -> Any:
    response = client.get(url, headers={"Accept": "application/json"})
    if response.is_redirect:
        raise ValueError(f"{url} redirects elsewhere")
    return response.raise_for_status().json()


def _is_signing_key(key: dict[str, Any]) -> bool:
    return isinstance(key.get("kid"), str) and key.get("use", "sig") == "sig"
