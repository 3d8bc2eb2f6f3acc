"""What a process has found out about tokens and need not find out again at each call."""

from __future__ import annotations

import time
from typing import Generic, TypeVar

TOKEN_CACHE_SECONDS = 60
MAX_CACHED_TOKENS = 2048

Finding = TypeVar("Finding")


class TokenCache(Generic[Finding]):
    """Findings by the checksum of their token: for a minute at most, and never longer than the token is valid."""

    def __init__(self) -> None:
        # Until when they count, by a clock that nobody can set.
        self._findings: dict[str, tuple[Finding, float]] = {}

    def __len__(self) -> int:
        return len(self._findings)

    def get(self, checksum: str) -> Finding | None:
        """What is known and still counts."""
        finding, until = self._findings.get(checksum, (None, 0.0))
        return finding if time.monotonic() < until else None

    def put(self, checksum: str, finding: Finding, expires_at: float) -> None:
        """Remember `finding` about a token that ends at `expires_at` (Unix seconds)."""
        if len(self._findings) >= MAX_CACHED_TOKENS:
            self._findings.clear()
        self._findings[checksum] = (finding, time.monotonic() + min(TOKEN_CACHE_SECONDS, expires_at - time.time()))
