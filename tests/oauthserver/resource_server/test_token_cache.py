"""Tests of the cache of verified tokens, and of its expiry."""

from __future__ import annotations

import pytest

from oauthserver.resource_server import token_cache
from oauthserver.resource_server.token_cache import TokenCache


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The elapsed time, which the wall clock shows too. The test can set it."""
    now = [1000.0]
    monkeypatch.setattr("oauthserver.resource_server.token_cache.time.time", lambda: now[0])
    monkeypatch.setattr("oauthserver.resource_server.token_cache.time.monotonic", lambda: now[0])
    return now


def test_a_finding_counts_for_a_minute(clock: list[float]) -> None:
    findings: TokenCache[str] = TokenCache()
    assert findings.get("a") is None
    findings.put("a", "found", expires_at=5000)

    clock[0] += 59.9
    assert findings.get("a") == "found"

    clock[0] += 0.1
    assert findings.get("a") is None


def test_a_finding_ends_with_its_token(clock: list[float]) -> None:
    findings: TokenCache[str] = TokenCache()
    findings.put("a", "found", expires_at=1010)

    clock[0] = 1009.9
    assert findings.get("a") == "found"

    clock[0] = 1010
    assert findings.get("a") is None


def test_a_clock_that_is_set_back_lets_no_finding_count_for_longer(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    findings: TokenCache[str] = TokenCache()
    findings.put("a", "found", expires_at=5000)
    monkeypatch.setattr("oauthserver.resource_server.token_cache.time.time", lambda: -1e9)

    clock[0] += 60
    assert findings.get("a") is None


def test_a_full_cache_drops_the_finding_that_was_used_least_recently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_cache, "MAX_CACHED_TOKENS", 2)
    findings: TokenCache[str] = TokenCache()
    findings.put("a", "found", expires_at=1e12)
    findings.put("b", "found", expires_at=1e12)
    findings.get("a")
    findings.put("c", "found", expires_at=1e12)

    assert len(findings) == 2
    assert findings.get("b") is None
    assert findings.get("a") == "found"
