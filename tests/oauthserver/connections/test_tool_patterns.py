"""Tests of patterns of tool names."""

from __future__ import annotations

import pytest

from oauthserver.connections.tool_patterns import matches_any, read_patterns


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("recall", "recall", True),
        ("recall", "recall_all", False),
        ("*_memory", "get_memory", True),
        ("*_memory", "memory_stats", False),
        ("memory?search", "memory.search", True),
        ("*", "anything", True),
    ],
)
def test_a_pattern_fits_whole_names(pattern: str, name: str, expected: bool) -> None:
    assert matches_any(name, [pattern]) is expected


def test_one_of_many_patterns_is_enough_and_none_fit_nothing() -> None:
    assert matches_any("recall", ["forget", "rec*"])
    assert not matches_any("recall", [])


@pytest.mark.django_db
@pytest.mark.parametrize("typed", ["recall, *_memory", "recall *_memory", " recall,,*_memory , recall,"])
def test_patterns_stand_between_commas_or_blanks(typed: str) -> None:
    assert read_patterns(0, typed) == ["recall", "*_memory"]


@pytest.mark.django_db
def test_nothing_typed_is_no_limit() -> None:
    assert read_patterns(0, " , ") == []
