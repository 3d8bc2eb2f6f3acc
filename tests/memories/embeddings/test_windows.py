from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.embeddings.windows import text_windows, windows

lengths = st.integers(0, 3_000)
sizes_and_overlaps = st.integers(1, 300).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


@given(lengths, sizes_and_overlaps)
def test_every_position_is_in_a_window(length: int, size_and_overlap: tuple[int, int]) -> None:
    covered = {position for part in windows(length, *size_and_overlap) for position in range(part.start, part.stop)}

    assert covered == set(range(length))


@given(lengths, sizes_and_overlaps)
def test_windows_are_full_unless_there_is_only_one(length: int, size_and_overlap: tuple[int, int]) -> None:
    size, overlap = size_and_overlap

    found = windows(length, size, overlap)

    assert {part.stop - part.start for part in found} == {min(length, size)}


@given(lengths, sizes_and_overlaps)
def test_neighbours_share_the_overlap_and_the_last_two_perhaps_more(
    length: int, size_and_overlap: tuple[int, int]
) -> None:
    size, overlap = size_and_overlap

    shared = [first.stop - second.start for first, second in pairwise(windows(length, size, overlap))]

    assert all(count == overlap for count in shared[:-1])
    assert all(overlap <= count < size for count in shared[-1:])


def test_nothing_has_one_empty_window() -> None:
    assert windows(0, 10, 2) == [slice(0, 0)]


@pytest.mark.parametrize("overlap", [-1, 10, 11])
def test_an_overlap_that_never_advances_is_refused(overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap must be from 0 to 9"):
        windows(100, 10, overlap)


@given(st.text(max_size=500), st.integers(9, 60))
def test_every_character_of_a_text_stands_whole_in_a_piece(text: str, size_bytes: int) -> None:
    pieces = text_windows(text, size_bytes, 4)

    position = 0
    for piece in pieces:
        start = text.rfind(piece, 0, position + len(piece))
        assert 0 <= start <= position
        position = start + len(piece)
    assert position == len(text)
    assert all(len(piece.encode()) <= size_bytes for piece in pieces)


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert text_windows("a\ud800b", 100, 4) == ["a?b"]


def test_an_overlap_smaller_than_a_character_is_refused() -> None:
    with pytest.raises(ValueError, match="overlap_bytes must be at least 4"):
        text_windows("text", 100, 3)
