"""Tests of values that are cached for a limited time."""

from __future__ import annotations

from itertools import count

import pytest
from django.db import transaction

from common.ttl import TtlValue

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The current time, which the test can set."""
    now = [1000.0]
    monkeypatch.setattr("common.ttl.time.monotonic", lambda: now[0])
    return now


@pytest.fixture
def number() -> TtlValue[int]:
    """A cached count of its lookups that is valid for five seconds."""
    return TtlValue(count(1).__next__, seconds=5.0)


def test_a_value_is_good_for_its_seconds(number: TtlValue[int], clock: list[float]) -> None:
    assert number.get() == number.get() == 1
    clock[0] += 4.9
    assert number.get() == 1
    clock[0] += 0.1
    assert number.get() == 2


def test_what_is_forgotten_is_looked_up_again(number: TtlValue[int]) -> None:
    assert number.get() == 1
    number.invalidate()
    assert number.get() == 2


def test_what_is_seen_inside_a_transaction_is_not_kept(number: TtlValue[int]) -> None:
    with transaction.atomic():
        assert [number.get(), number.get()] == [1, 2]
    assert number.get() == number.get() == 3
    with transaction.atomic():
        assert number.get() == 3


def test_an_error_is_not_kept() -> None:
    answers = iter([None, 7])

    def look_up() -> int:
        answer = next(answers)
        if answer is None:
            raise ValueError("not yet")
        return answer

    value = TtlValue(look_up, seconds=5.0)
    with pytest.raises(ValueError, match="not yet"):
        value.get()
    assert value.get() == 7
