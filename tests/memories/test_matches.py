"""What was found, and which of it may contradict each other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memories.matches import AS_GOOD, Match, latest_first
from memories.models import Memory

NOW = datetime(2026, 5, 17, tzinfo=UTC)


def match(number: int, rank: float, days_old: int = 0, conflicts_with: tuple[int, ...] = ()) -> Match:
    memory = Memory(pk=number, last_confirmed_at=NOW - timedelta(days=days_old))
    return Match(memory, 0.5, {"similarity": rank}, conflicts_with)


def ids(*matches: Match) -> list[int]:
    return [found.memory.pk for found in latest_first(matches)]


def test_of_two_that_conflict_the_one_confirmed_last_goes_first() -> None:
    assert ids(match(1, 0.9, 9, (2,)), match(2, 0.88, 1, (1,))) == [2, 1]


def test_what_is_plainly_more_relevant_stays_first() -> None:
    assert ids(match(1, 0.9, 9, (2,)), match(2, 0.89 - AS_GOOD, 1, (1,))) == [1, 2]


def test_a_confirmation_of_the_same_day_tells_nothing() -> None:
    soon = Match(Memory(pk=2, last_confirmed_at=NOW + timedelta(hours=1)), 0.5, {"similarity": 0.89}, (1,))
    assert ids(match(1, 0.9, 0, (2,)), soon) == [1, 2]


def test_without_a_conflict_the_order_stays() -> None:
    assert ids(match(1, 0.9, 9), match(2, 0.89, 1)) == [1, 2]


def test_of_several_the_newest_passes_all_that_it_outdates() -> None:
    assert ids(match(1, 0.9, 9, (2, 3)), match(2, 0.89, 5, (1, 3)), match(3, 0.88, 1, (1, 2))) == [3, 2, 1]


def test_one_match_and_none_are_latest_first() -> None:
    assert (ids(match(1, 0.9)), ids()) == ([1], [])
