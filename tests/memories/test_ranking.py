"""Fusion of meaning and words."""

from __future__ import annotations

from memories.ranking import Evidence, by_words, fuse


def ids(evidence: list[Evidence]) -> list[int]:
    return [item.memory_id for item in fuse(evidence)]


def test_without_words_the_nearest_comes_first() -> None:
    assert ids([Evidence(1, 0.2, 0), Evidence(2, 0.8, 0)]) == [2, 1]


def test_the_best_keyword_match_counts_a_part_of_a_cosine() -> None:
    assert ids([Evidence(1, 0.3, 0), Evidence(2, 0.1, 3.0)]) == [2, 1]
    assert ids([Evidence(1, 0.5, 0), Evidence(2, 0.1, 3.0)]) == [1, 2]


def test_of_equals_the_newest_comes_first() -> None:
    assert ids([Evidence(1, 0.5, 0), Evidence(2, 0.5, 0)]) == [2, 1]


def test_by_words_meaning_does_not_count() -> None:
    assert [item.memory_id for item in by_words([Evidence(1, 0.9, 1.0), Evidence(2, 0.1, 1.5)])] == [2, 1]


def test_nothing_stays_nothing() -> None:
    assert fuse([]) == by_words([]) == []
