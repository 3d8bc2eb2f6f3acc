from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.embeddings.sentences import sentence_starts
from memories.embeddings.windows import Span, byte_windows, text_windows, token_costs, windows

ANY_TEXT = st.text(st.characters() | st.sampled_from(" .!?。\n\"'a"), max_size=400)
SIZES = st.integers(1, 80).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, (size - 1) // 2)))
COSTS = st.lists(st.integers(0, 20), max_size=300).map(lambda costs: [*accumulate(costs, initial=0)])


@st.composite
def marked(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    """Draw the costs of a text, and two kinds of places at which to cut it."""
    costs = draw(COSTS)
    positions = st.lists(st.integers(1, max(1, len(costs) - 2)), unique=True).map(sorted)
    return costs, [draw(positions), draw(positions)] if len(costs) > 2 else []


@given(marked(), SIZES)
def test_windows_cover_a_text_in_order(text: tuple[list[int], list[list[int]]], size: tuple[int, int]) -> None:
    costs, borders = text
    found = windows(costs, *size, *borders)
    assert (found[0].start, found[-1].end) == (0, len(costs) - 1)
    assert all(one.start < other.start <= one.end <= other.end for one, other in pairwise(found))


@given(marked(), SIZES)
def test_only_a_single_character_costs_more_than_a_window_may(
    text: tuple[list[int], list[list[int]]], size: tuple[int, int]
) -> None:
    costs, borders = text
    too_long = [span for span in windows(costs, *size, *borders) if costs[span.end] - costs[span.start] > size[0]]
    assert all(costs[span.end] - costs[span.start] == costs[span.start + 1] - costs[span.start] for span in too_long)


@given(st.integers(0, 3_000), SIZES)
def test_without_a_good_place_to_cut_all_windows_are_full(length: int, size_and_overlap: tuple[int, int]) -> None:
    size, overlap = size_and_overlap
    found = windows(range(length + 1), size, overlap)
    assert len(found) <= 1 + length / (size - min(overlap, size // 2))
    assert all(span.end - span.start == min(size, length) for span in found)


def test_a_window_that_is_a_quarter_full_ends_at_the_last_good_place() -> None:
    assert windows(range(101), 40, 0, [15, 25, 35, 60], [39, 75])[:3] == [Span(0, 35), Span(35, 60), Span(60, 100)]
    assert windows(range(101), 40, 0, [11], [39])[0] == Span(0, 11)
    assert windows(range(101), 40, 0, [10], [39])[0] == Span(0, 39)
    assert windows(range(101), 40, 0, [10], [9])[0] == Span(0, 40)


def test_the_next_window_begins_at_the_first_good_place_that_both_may_share() -> None:
    assert windows(range(101), 40, 10, [20, 27, 31, 35])[1].start == 27
    assert windows(range(101), 40, 10, [20, 24, 35], [26])[1].start == 35
    assert windows(range(101), 40, 10, [], [31])[1].start == 31
    assert windows(range(101), 40, 10)[1].start == 30


def test_neighbours_share_no_more_than_half_of_the_first() -> None:
    assert windows(range(101), 40, 30)[1].start == 20


def test_the_last_window_is_as_long_as_fits() -> None:
    assert windows(range(46), 40, 0, [20, 40]) == [Span(0, 40), Span(20, 45)]
    assert windows(range(46), 40, 0, [40]) == [Span(0, 40), Span(40, 45)]
    assert windows(range(46), 40, 0) == [Span(0, 40), Span(5, 45)]


def test_nothing_has_one_empty_window() -> None:
    assert windows([0], 10, 2) == byte_windows("", 10, 2) == [Span(0, 0)]


@given(ANY_TEXT, st.integers(8, 60))
def test_the_pieces_of_a_text_hold_all_of_it_and_no_more_bytes_than_allowed(text: str, size_bytes: int) -> None:
    spans = byte_windows(text, size_bytes, size_bytes // 4)
    assert {at for span in spans for at in range(*span)} == set(range(len(text)))
    assert all(len(text[start:end].encode("utf-8", "surrogatepass")) <= size_bytes for start, end in spans)
    assert spans == byte_windows(text, size_bytes, size_bytes // 4)


def test_pieces_begin_and_end_with_sentences() -> None:
    text = " ".join(f"Sentence number {number} is about something else." for number in range(40))
    spans = byte_windows(text, 200, 50)
    starts = {0, *sentence_starts(text), len(text)}
    assert len(spans) > 10
    assert {at for span in spans for at in span} <= starts
    assert all(one.end - other.start in range(40, 51) for one, other in pairwise(spans[:-1]))


def test_a_sentence_longer_than_a_window_is_cut_between_words() -> None:
    text = "word " * 100
    assert all(text[start:end].split() == ["word"] * ((end - start) // 5) for start, end in byte_windows(text, 60, 15))


@pytest.mark.parametrize("filling", ["x", "a ", "a. ", ". ", "\n", "。", "😀", ".\"'", "x\n", "A.B. "])
def test_a_long_text_of_anything_is_cut_with_few_steps(filling: str) -> None:
    text = (filling * 16_000)[:16_000]
    spans = byte_windows(text, 1_000, 250)
    assert spans[-1].end == 16_000
    assert len(spans) <= 1 + len(text.encode()) / 125


def test_the_tokens_of_one_character_stay_together() -> None:
    costs = token_costs([0, 2, 2, 2, 5], 7)
    assert costs == [0, 1, 1, 4, 4, 4, 5, 5]
    assert text_windows("abcdefg", costs, 3, 1) == [Span(0, 2), Span(2, 5), Span(5, 7)]
