"""Tests of differences between texts, word by word."""

from __future__ import annotations

import random

import pytest

from memories.undo.word_diff import MAX_WORDS, Part, diff_words


def test_only_the_changed_words_are_marked() -> None:
    assert diff_words("Ann lives in Bern, near the river", "Ann lives in Zurich, near the river") == [
        Part("same", "Ann lives in "),
        Part("removed", "Bern"),
        Part("added", "Zurich"),
        Part("same", ", near the river"),
    ]


@pytest.mark.parametrize("seed", range(20))
def test_the_parts_make_up_both_texts(seed: int) -> None:
    source = random.Random(seed)
    one, other = (" ".join(source.choices(["a", "bé", "c-d", "\n", "  ", "日本", "x_y"], k=30)) for _ in range(2))
    parts = diff_words(one, other)
    assert "".join(part.text for part in parts if part.kind != "added") == one
    assert "".join(part.text for part in parts if part.kind != "removed") == other


def test_very_long_texts_are_not_compared() -> None:
    long = "a " * MAX_WORDS
    assert diff_words(long, "b") == [Part("removed", long), Part("added", "b")]
    assert diff_words("", "") == []
