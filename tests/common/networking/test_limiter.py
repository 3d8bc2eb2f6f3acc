"""Tests of the rate limiter."""

from __future__ import annotations

import pytest

from common.networking.limiter import FixedWindowLimiter


def test_an_allowance_is_used_up_and_comes_again_with_the_next_period(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("common.networking.limiter.time.monotonic", lambda: now)
    allowance = FixedWindowLimiter(2, period_seconds=10)
    assert [allowance.take() for _ in range(3)] == [True, True, False]

    now = 109.9
    assert not allowance.take()

    now = 110.0
    assert [allowance.take() for _ in range(3)] == [True, True, False]
