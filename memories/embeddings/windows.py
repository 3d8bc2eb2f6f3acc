"""Splitting of texts that are too long for a model into overlapping windows, so that none of a text is lost."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from memories.embeddings.sentences import sentence_starts, word_starts

MIN_FILL_DIVISOR = 4
"""Divisor: a window may end early at a good border, but is at least 1/`MIN_FILL_DIVISOR` full."""


class Span(NamedTuple):
    """A part of a text: its characters from `start` up to, not including, `end`."""

    start: int
    end: int


def byte_windows(text: str, size_bytes: int, overlap_bytes: int) -> list[Span]:
    """Return the windows of `text`, each of at most `size_bytes` of UTF-8.

    Bytes, because a byte-level tokenizer never makes more tokens than there are bytes, in any language.
    """
    if len(text.encode("utf-8", "surrogatepass")) <= size_bytes:
        return [Span(0, len(text))]
    costs = [0, *accumulate(len(character.encode("utf-8", "surrogatepass")) for character in text)]
    return text_windows(text, costs, size_bytes, overlap_bytes)


def text_windows(text: str, costs: Sequence[int], size: int, overlap: int) -> list[Span]:
    """Return the windows of `text`, cut where sentences begin, else where words do, else anywhere. See `windows`."""
    if costs[-1] <= size:
        return [Span(0, len(text))]
    return windows(costs, size, overlap, sentence_starts(text), word_starts(text))


def windows(costs: Sequence[int], size: int, overlap: int, *borders: Sequence[int]) -> list[Span]:
    """Return windows that cover a text in order, each with a cost of at most `size`; at least one, even for no text.

    `costs`, ascending, is the cost of the first 0, 1, 2, … characters, in tokens or bytes. `borders`, ascending, are
    good positions to cut at, the best kind first. A window is at least a quarter full. Neighbours share up to
    `overlap`, but not more than half a window. The last two share more: the last window is moved back to be as long as
    the others, since a model says little about a handful of tokens. Only a single character may cost more than `size`.
    """

    def reach(cost: int) -> int:
        """Return the last position up to which the text costs at most `cost`."""
        return bisect_right(costs, cost) - 1

    found: list[Span] = []
    start, length = 0, len(costs) - 1
    while costs[length] - costs[start] > size:
        full = reach(max(costs[start] + size, costs[start + 1]))
        end = _latest(borders, reach(costs[start] + size // MIN_FILL_DIVISOR) + 1, full)
        found.append(Span(start, end))
        if end == length:
            return found
        cost = costs[end] - costs[start]
        shared = min(reach(costs[end] - min(overlap, cost // 2)), end)
        start = _earliest(borders, shared if shared > start else end, end)
    if found:
        longest = reach(costs[bisect_left(costs, costs[length] - size)])
        start = _earliest(borders, min(longest, start), start)
    return [*found, Span(start, length)]


def _latest(borders: Sequence[Sequence[int]], low: int, high: int) -> int:
    """Return the last position from `low` to `high` in the best kind of border that has one there; else `high`."""
    for positions in borders:
        place = bisect_right(positions, high) - 1
        if place >= 0 and positions[place] >= low:
            return positions[place]
    return high


def _earliest(borders: Sequence[Sequence[int]], low: int, high: int) -> int:
    """Return the first position from `low` to `high` in the best kind of border that has one there; else `low`."""
    for positions in borders:
        place = bisect_left(positions, low)
        if place < len(positions) and positions[place] <= high:
            return positions[place]
    return low


def token_costs(starts: Sequence[int], length: int) -> list[int]:
    """Return the costs of a text of `length` characters whose tokens, at least one, start at `starts`.

    The cost of the first n characters is the number of tokens that start before n. Tokens that start at the same
    character, as those of a rare one, stay together.
    """
    costs: list[int] = np.searchsorted(np.maximum.accumulate(starts), np.arange(length + 1)).tolist()
    costs[-1] = len(starts)
    return costs
