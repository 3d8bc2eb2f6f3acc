"""Exact search for pairs of near texts, without the product of all texts with all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from memories.embeddings.base import Matrix

Progress = Callable[[float], None]
"""Callback that receives the share of the work that is done, 0 to 1, from time to time."""

SKETCH_DIMENSIONS = 64
"""Dimensions of a sketch. A product of sketches costs a sixth of one of 384 dimensions, and 1 pair in 5,000 passes."""

MAX_UNSKETCHED_WINDOWS = 4_096
"""Number of windows up to which the vectors themselves are compared: sketches would not pay."""

_SAMPLE = 20_000
_TILE_ROWS, _TILE_COLUMNS = 1_024, 8_192
_PAIRS_AT_ONCE = 8_192
_MANY_PART = 64
_ROUNDING = 1e-3
"""Upper bound of the rounding errors of float16 vectors and float32 sums."""


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of many texts, as vectors of shape (windows, dimensions) and unit length.

    `positions`, ascending, is the position of the text of each window.
    """

    vectors: npt.NDArray[np.floating]
    positions: npt.NDArray[np.int64]

    @classmethod
    def of_texts(cls, matrices: Sequence[Matrix]) -> Self:
        """Return the windows of texts with these matrices, of which there is at least one."""
        counts = [len(matrix) for matrix in matrices]
        return cls(np.concatenate(list(matrices)), np.repeat(np.arange(len(matrices)), counts))

    def of_text(self, position: int) -> Matrix:
        """Return the windows of the text at `position`."""
        start, end = np.searchsorted(self.positions, [position, position + 1])
        return _unit(self.vectors[start:end])


def near_pairs(windows: Windows, threshold: float, progress: Progress | None = None) -> Iterator[tuple[int, int]]:
    """Yield the positions (later, earlier) of texts of which any two windows have a cosine of at least `threshold`.

    Exact: no pair is missed; those of long texts may be yielded more than once. Takes some 100 MB beside the vectors.
    """
    sketches = _sketches(windows.vectors)
    count = len(sketches)
    for start in range(0, count, _TILE_ROWS):
        rows = slice(start, min(start + _TILE_ROWS, count))
        for first in range(0, rows.stop, _TILE_COLUMNS):
            columns = slice(first, min(first + _TILE_COLUMNS, rows.stop))
            yield from _near_in_tile(windows, sketches, rows, columns, threshold)
        if progress is not None:
            progress((rows.stop / count) ** 2)


def similarity_between(first: Matrix, second: Matrix) -> float:
    """Return how near the text of `first` is to that of `second`: the least of its windows' best cosines."""
    return float((first @ second.T).max(axis=1).min())


def _unit(vectors: npt.NDArray[np.floating]) -> Matrix:
    """Return the vectors scaled to exactly length 1, from which rounding to float16 has moved them."""
    whole = vectors.astype(np.float32)
    unit: Matrix = whole / np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return unit


def _sketches(vectors: npt.NDArray[np.floating]) -> Matrix:
    """Return short vectors whose products are never less than the cosines of the long ones.

    A sketch is the first principal components of a vector and the length of the rest: the product of the rests of two
    vectors is at most the product of their lengths (Cauchy-Schwarz).
    """
    if len(vectors) <= MAX_UNSKETCHED_WINDOWS or vectors.shape[1] <= SKETCH_DIMENSIONS:
        return _unit(vectors)
    sample = vectors[:: max(1, len(vectors) // _SAMPLE)].astype(np.float32)
    _, components = np.linalg.eigh(sample.T @ sample)
    leading = np.ascontiguousarray(components[:, -SKETCH_DIMENSIONS:])
    sketches = np.empty((len(vectors), SKETCH_DIMENSIONS + 1), np.float32)
    for start in range(0, len(vectors), _TILE_COLUMNS):
        part = slice(start, start + _TILE_COLUMNS)
        whole = _unit(vectors[part])
        sketches[part, :-1] = whole @ leading
        left_out = (whole**2).sum(axis=1) - (sketches[part, :-1] ** 2).sum(axis=1)
        sketches[part, -1] = np.sqrt(np.maximum(left_out, 0.0) + _ROUNDING)
    return sketches


def _near_in_tile(
    windows: Windows, sketches: Matrix, rows: slice, columns: slice, threshold: float
) -> Iterator[tuple[int, int]]:
    width = columns.stop - columns.start
    candidates = np.flatnonzero(sketches[rows] @ sketches[columns].T >= threshold)
    if len(candidates) > (rows.stop - rows.start) * width // _MANY_PART:
        # Checking so many one by one would take longer than the whole product.
        whole = _unit(windows.vectors[rows]) @ _unit(windows.vectors[columns]).T
        candidates = np.flatnonzero(whole >= threshold)
    later, earlier = candidates // width + rows.start, candidates % width + columns.start
    is_pair = windows.positions[later] > windows.positions[earlier]
    later, earlier = later[is_pair], earlier[is_pair]
    for start in range(0, len(later), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        pairs = np.stack([later[part], earlier[part]])
        cosines = np.einsum("ij,ij->i", *(_unit(windows.vectors[side]) for side in pairs))
        near = np.unique(windows.positions[pairs[:, cosines >= threshold]], axis=1)
        yield from zip(near[0].tolist(), near[1].tolist(), strict=True)
