"""Tests of differences between texts, word by word."""

from __future__ import annotations

import random

import pytest

from memories.admin.text_diff import MAX_WORDS, Piece, diff


def test_only_the_changed_words_are_marked() -> None:
    assert diff("Ann lives in Bern, near the river", "Ann lives in Zurich, near the river") == [
        Piece("same", "Ann lives in "),
        Piece("del", "Bern"),
        Piece("ins", "Zurich"),
        Piece("same", ", near the river"),
    ]


def test_a_placeholder_is_one_word() -> None:
    assert diff("The code is [hidden: code #1]", "The code is [hidden: code #2] now") == [
        Piece("same", "The code is "),
        Piece("del", "[hidden: code #1]"),
        Piece("ins", "[hidden: code #2] now"),
    ]


@pytest.mark.parametrize("seed", range(20))
def test_the_pieces_make_up_both_texts(seed: int) -> None:
    source = random.Random(seed)
    one, other = (" ".join(source.choices(["a", "bé", "c-d", "\n", "  ", "日本", "x_y"], k=30)) for _ in range(2))
    pieces = diff(one, other)
    assert "".join(piece.text for piece in pieces if piece.kind != "ins") == one
    assert "".join(piece.text for piece in pieces if piece.kind != "del") == other


def test_very_long_texts_are_not_compared() -> None:
    long = "a " * MAX_WORDS
    assert diff(long, "b") == [Piece("del", long), Piece("ins", "b")]
    assert diff("", "") == []
