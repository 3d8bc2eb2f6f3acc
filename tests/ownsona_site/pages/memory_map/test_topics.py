"""Tests of the names of a map's groups."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.utils import timezone

from ownsona_site.pages.memory_map.points import Point
from ownsona_site.pages.memory_map.schemes import schemes_of
from ownsona_site.pages.memory_map.topics import topics_of


def names_of(*groups: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
    """Return the names of groups of memories, each with its text and its tags."""
    points = points_of(*groups)
    return [topic.name for topic in topics_of(points, schemes_of(points))]


def points_of(*groups: Sequence[tuple[str, tuple[str, ...]]]) -> list[Point]:
    """Return the points of groups of memories, each with its text and its tags."""
    return [
        Point(10 * group + number, 0, 0, group, text, tags, "", timezone.now())
        for group, memories in enumerate(groups)
        for number, (text, tags) in enumerate(memories)
    ]


def test_a_group_is_named_by_its_tags() -> None:
    assert names_of([("Tea", ("food",))] * 3, [("Trains", ("travel",))] * 3) == ["food", "travel"]


def test_groups_with_equal_tags_are_told_apart_by_words_that_are_no_tags() -> None:
    first = [("This travel was to Bergen", ("travel",))] * 3
    second = [("This travel was to Utrecht", ("travel",))] * 3
    assert names_of(first, second) == ["travel: bergen", "travel: utrecht"]


def test_words_that_say_nothing_about_the_subject_name_no_group() -> None:
    english = [("Also, they probably just seem to like green garlic", ())] * 3
    german = [("Eine Reise, auch für alle, nach Bergen", ())] * 3
    assert names_of(english, german) == ["garlic, green", "bergen, reise"]
    now = [("Jetzt immer noch Kirschholz", ())] * 3
    always = [("Currently always cherry wood", ())] * 3
    assert names_of(now, always) == ["kirschholz", "cherry, wood"]


def test_a_tag_that_only_occurs_with_another_one_takes_no_colour() -> None:
    both = [("Cakes", ("food", "recipes"))] * 3
    others = [[("Trip", (tag,))] for tag in ("travel", "work", "home", "health")]
    points = points_of(both, *others)
    by_tag = schemes_of(points)[0]
    assert [(name, count) for _, name, count, _ in by_tag.legend] == [
        ("food", 3), ("travel", 1), ("work", 1), ("home", 1), ("health", 1)
    ]  # fmt: skip
    assert [topic.colour for topic in topics_of(points, schemes_of(points))] == [1, 2, 3, 4, 5]


def test_the_order_of_tags_does_not_tell_groups_apart() -> None:
    first = [("Cakes", ("food", "travel"))] * 2 + [("Cakes", ("food",))]
    second = [("Trains", ("food", "travel"))] * 2 + [("Trains", ("travel",))]
    assert names_of(first, second) == ["food, travel: cakes", "travel, food: trains"]


@pytest.mark.parametrize("tags", [("food",), ()])
def test_groups_with_equal_tags_and_words_have_numbers(tags: tuple[str, ...]) -> None:
    same = [("Green garlic", tags)] * 3
    first, second = names_of(same, same)
    assert first != second
    assert (first[-3:], second[-3:]) == ("(1)", "(2)")


def test_groups_without_tags_and_words_are_numbered() -> None:
    assert names_of([("1", ())] * 3, [("2", ())] * 3) == ["Group 1", "Group 2"]


def test_groups_without_tags_are_grey() -> None:
    points = points_of([("Cakes", ("food",))] * 3, [("A trip to Bergen", ())] * 3)
    grey = len(schemes_of(points)[0].names)
    assert [topic.colour for topic in topics_of(points, schemes_of(points))] == [1, grey]
