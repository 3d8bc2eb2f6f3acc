"""Per-process cache of facts about verified tokens."""

from __future__ import annotations

import time
from typing import Generic, TypeVar

TOKEN_CACHE_SECONDS = 60
MAX_CACHED_TOKENS = 2048

Finding = TypeVar("Finding")


class TokenCache(Generic[Finding]):
    """Findings by token checksum. Each is kept for at most a minute, and never after its token has expired."""

    def __init__(self) -> None:
        # With the expiry on the monotonic clock, which cannot be set.
        self._findings: dict[str, tuple[Finding, float]] = {}

    def __len__(self) -> int:
        return len(self._findings)

    def get(self, checksum: str) -> Finding | None:
        """Return the cached finding about the token, or None if there is none or it has expired."""
        finding, until = self._findings.get(checksum, (None, 0.0))
        return finding if time.monotonic() < until else None

    def put(self, checksum: str, finding: Finding, expires_at: float) -> None:
        """Cache `finding` about a token that expires at `expires_at` (Unix seconds)."""
        if len(self._findings) >= MAX_CACHED_TOKENS:
            self._findings.clear()
        self._findings[checksum] = (finding, time.monotonic() + min(TOKEN_CACHE_SECONDS, expires_at - time.time()))
