"""Tests of statements about parts of a series."""

from __future__ import annotations

import pytest

from memories.relations.comparison import contradict
from memories.relations.series import are_about_parts_of_a_series
from memories.relations.statements import Statement


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("In week 6 I planted beans", "In week 22 the beans were ripe"),
        ("Chapter 8 is set in Oslo", "Chapter 28: the storm"),
        ("Novel: chapter three has 12 pages", "Novel: chapter four has 20 pages"),
        ("The sixth lesson was about chords", "In the 2nd lesson we tuned"),
        ("Room 12 is the nursery", "Room #14 is the office"),
        ("On day one we hike", "On day two we rest"),
        ("In 2024 I read 12 books", "In 2025, I read 20 books"),
        ("Week 1 was hard", "The second week was easy"),
        ("Invoice 43 was paid after 17 days", "Invoice 44 was paid after 12 days"),
        ("Pull request 12 renames the tags", "Pull request 15 removes the cache"),
        ("Server 2 has 64 GB of memory", "Server 3 has 128 GB of memory"),
    ],
)
def test_other_numbers_at_the_beginning_are_other_parts(first: str, second: str) -> None:
    assert are_about_parts_of_a_series(Statement.of(first), Statement.of(second))
    assert are_about_parts_of_a_series(Statement.of(second), Statement.of(first))
    assert not contradict(Statement.of(first), Statement.of(second), 1.0)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I am on chapter 8", "I am on chapter 9"),
        ("Week 6 was hard", "The 6th week was easy"),
        ("Week 6 was hard", "Sprint 7 was hard"),
        ("Version 3 is live", "Version 4 is live"),
        ("The standup is at 9", "The standup is at 10"),
        ("Week 6 was hard", "A weekday"),
    ],
)
def test_what_moves_on_or_has_the_same_number_is_none(first: str, second: str) -> None:
    assert not are_about_parts_of_a_series(Statement.of(first), Statement.of(second))


def test_a_series_contradicts_nothing_but_a_number_that_moves_on_does() -> None:
    assert contradict(Statement.of("I am on chapter 8"), Statement.of("I am on chapter 9"), 0.9)
    assert not contradict(Statement.of("Room 8 has two windows"), Statement.of("Room 9 has three windows"), 0.9)
