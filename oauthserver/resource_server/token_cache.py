"""Per-process cache of facts about verified tokens."""

from __future__ import annotations

import time
from threading import Lock
from typing import Generic, TypeVar

from cachetools import TLRUCache

TOKEN_CACHE_SECONDS = 60
MAX_CACHED_TOKENS = 2048

Finding = TypeVar("Finding")


class TokenCache(Generic[Finding]):
    """Findings by token checksum. Each is kept for at most a minute, and never after its token has expired.

    Thread-safe. When the cache is full, the finding that was used least recently is dropped.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        # Each finding has its expiry on the monotonic clock, which cannot be set.
        self._findings: TLRUCache[str, tuple[Finding, float]] = TLRUCache(
            MAX_CACHED_TOKENS, ttu=lambda _checksum, entry, _now: entry[1], timer=_now
        )

    def __len__(self) -> int:
        return len(self._findings)

    def get(self, checksum: str) -> Finding | None:
        """Return the cached finding about the token, or None if there is none or it has expired."""
        with self._lock:
            entry = self._findings.get(checksum)
        return entry[0] if entry else None

    def put(self, checksum: str, finding: Finding, expires_at: float) -> None:
        """Cache `finding` about a token that expires at `expires_at` (Unix seconds)."""
        until = time.monotonic() + min(TOKEN_CACHE_SECONDS, expires_at - time.time())
        with self._lock:
            self._findings[checksum] = (finding, until)


def _now() -> float:
    """Return the time on a clock that cannot be set, in seconds."""
    return time.monotonic()
