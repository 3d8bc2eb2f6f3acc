"""Tests of the ranking by weighted signals."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memories.recall.ranking import rank
from memories.recall.signals import (
    HYBRID,
    KEYWORD,
    LONG_BYTES,
    LONGEST_BYTES,
    SEMANTIC,
    SIGNALS,
    Candidate,
    Signal,
    Weights,
)
from memories.times.periods import Period

NOW = datetime(2026, 5, 17, tzinfo=UTC)
PLAIN = Candidate(1, 0.5, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, NOW.timestamp())
OTHER = PLAIN._replace(item_id=2)


def days_from_now(days: float) -> float:
    return (NOW + timedelta(days=days)).timestamp()


def ids(candidates: list[Candidate], weights: Weights = HYBRID) -> list[int]:
    return [item.candidate.item_id for item in rank(candidates, weights, NOW)]


def test_the_nearest_comes_first() -> None:
    assert ids([PLAIN._replace(similarity=0.51), OTHER]) == [1, 2]


BEST = PLAIN._replace(
    similarity=1.0,
    words=1.0,
    named=1.0,
    beside=1.0,
    session=1.0,
    stated=1.0,
    answer_kind=1.0,
    answers=1.0,
    aspect=1.0,
    about_other=1.0,
    importance=1.0,
)
MAY = Period(datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC))


@pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: signal.name)
def test_each_signal_adds_its_weight_and_nothing_else(signal: Signal) -> None:
    best = BEST._replace(size=LONGEST_BYTES, last_confirmed_at=NOW.timestamp(), created_at=NOW.timestamp())
    if signal.name == "past":
        best = best._replace(last_confirmed_at=days_from_now(-9), valid_until=days_from_now(-1))
    (alone,) = rank([best], {signal.name: signal.weight}, NOW, MAY)
    assert alone.parts == {signal.name: signal.weight}
    assert alone.rank == signal.weight


RAISING = [signal for signal in SIGNALS if signal.weight > 0]


@pytest.mark.parametrize("signal", RAISING, ids=lambda signal: signal.name)
def test_each_signal_decides_between_two_that_differ_in_nothing_else(signal: Signal) -> None:
    worst = Candidate(2, 0.0, 0.0, words=float(signal.name == "long"))
    field = {"confirmed": "last_confirmed_at", "time": "created_at", "long": "size"}.get(signal.name, signal.name)
    best = BEST._replace(size=LONGEST_BYTES, created_at=NOW.timestamp())
    better = worst._replace(item_id=1, **{field: getattr(best, field)})
    ranked = rank([worst, better], HYBRID, NOW, MAY)
    assert [item.candidate.item_id for item in ranked] == [1, 2]
    assert ranked[0].rank - ranked[1].rank == pytest.approx(signal.weight)


@pytest.mark.parametrize(
    ("size", "share"), [(0, 0), (LONG_BYTES, 0), ((LONG_BYTES + LONGEST_BYTES) // 2, 0.5), (100 * LONGEST_BYTES, 1)]
)
def test_the_words_of_a_text_count_more_the_longer_it_is_up_to_a_limit(size: int, share: float) -> None:
    (ranked,) = rank([PLAIN._replace(words=0.5, size=size)], HYBRID, NOW)
    assert ranked.parts["long"] == pytest.approx(0.5 * share * HYBRID["long"])


def test_of_two_as_good_the_one_that_is_past_comes_last() -> None:
    ended = OTHER._replace(last_confirmed_at=days_from_now(-3), valid_until=days_from_now(-1))
    still_valid = ended._replace(item_id=1, valid_until=days_from_now(1))
    assert ids([ended, still_valid]) == [1, 2]


def test_a_memory_confirmed_after_its_end_is_not_past() -> None:
    confirmed = OTHER._replace(last_confirmed_at=days_from_now(-1), valid_until=days_from_now(-3))
    (ranked,) = rank([confirmed], HYBRID, NOW)
    assert ranked.parts["past"] == 0


def test_a_question_about_the_time_of_a_past_memory_does_not_lower_it() -> None:
    ended = OTHER._replace(last_confirmed_at=days_from_now(-3), valid_until=days_from_now(-1), is_named_day=True)
    (ranked,) = rank([ended], HYBRID, NOW)
    assert ranked.parts["past"] == 0
    assert ranked.parts["time"] == HYBRID["time"]


def test_of_two_as_good_the_one_confirmed_last_comes_first() -> None:
    stale = OTHER._replace(last_confirmed_at=days_from_now(-400))
    assert ids([PLAIN, stale]) == [1, 2]


def test_importance_and_confirmation_cannot_outweigh_what_is_plainly_nearer() -> None:
    stale = PLAIN._replace(similarity=0.55, importance=0.0, last_confirmed_at=days_from_now(-10_000))
    assert ids([OTHER._replace(importance=1.0), stale]) == [1, 2]


def test_a_confirmation_that_lies_ahead_counts_as_one_of_now() -> None:
    (ahead, now) = rank([PLAIN, OTHER._replace(last_confirmed_at=days_from_now(0.01))], HYBRID, NOW)
    assert ahead.rank == now.rank


def test_of_equals_the_newest_comes_first() -> None:
    assert ids([PLAIN, OTHER]) == [2, 1]


def test_by_words_meaning_does_not_count() -> None:
    assert ids([PLAIN._replace(similarity=0.9, words=0.2), OTHER._replace(similarity=0.1, words=0.3)], KEYWORD) == [
        2,
        1,
    ]


def test_by_meaning_words_do_not_count() -> None:
    assert ids([PLAIN._replace(similarity=0.6), OTHER._replace(words=1.0, named=1.0)], SEMANTIC) == [1, 2]


def test_the_parts_add_up_to_the_rank() -> None:
    (ranked,) = rank([PLAIN._replace(words=1.0, named=1.0)], HYBRID, NOW)
    assert ranked.rank == pytest.approx(
        0.5
        + HYBRID["words"]
        + HYBRID["named"]
        + 0.5 * HYBRID["session"]
        + 0.5 * HYBRID["importance"]
        + HYBRID["confirmed"]
    )
    assert ranked.parts["named"] == HYBRID["named"]


def test_nothing_stays_nothing() -> None:
    assert rank([], HYBRID, NOW) == []
