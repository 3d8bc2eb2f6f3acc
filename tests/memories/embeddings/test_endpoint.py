from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from memories.embeddings.endpoint import RetryPolicy, retry_after_seconds


def test_the_pauses_double_with_jitter() -> None:
    retry_policy = RetryPolicy(first_delay_seconds=1.0)

    for failures, longest in ((1, 1.0), (2, 2.0), (3, 4.0)):
        delays = {retry_policy.delay_seconds(failures, None) for _ in range(50)}
        assert longest / 2 <= min(delays) < max(delays) <= longest


def test_the_server_may_ask_for_a_longer_pause_not_for_a_shorter_one() -> None:
    retry_policy = RetryPolicy(first_delay_seconds=1.0)

    assert retry_policy.delay_seconds(1, 7.0) == 7.0
    assert retry_policy.delay_seconds(1, 0.0) >= 0.5


@pytest.mark.parametrize(
    ("value", "seconds"), [("0", 0), ("120", 120), (" 5 ", 5), ("Thu, 01 Jan 2015 00:00:00 GMT", 0)]
)
def test_retry_after_is_read(value: str, seconds: float) -> None:
    assert retry_after_seconds(value) == seconds


def test_retry_after_may_be_a_date_to_come() -> None:
    value = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)

    assert retry_after_seconds(value) == pytest.approx(100, abs=5)


@pytest.mark.parametrize("value", ["", "soon", "-1", "1.5"])
def test_another_retry_after_counts_as_none(value: str) -> None:
    assert retry_after_seconds(value) is None
