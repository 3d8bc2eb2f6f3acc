"""Positions in a plane that keep near vectors near: docs/decisions/map.md.

The method is that of UMAP with uniform weights: points are pulled to their nearest neighbours and pushed away from
random others. The random numbers have a fixed seed, so equal input gives an equal map.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
Neighbours = npt.NDArray[np.int64]

SIDE = 1_000
"""Positions are whole numbers from 0 to SIDE."""

NEIGHBOURS = 12
ROUNDS = 250
PUSHED = 12
"""Number of random points that push a point away in each round."""

PUSH = 4.0
"""Weight of being pushed away, compared to being pulled."""

DIMENSIONS = 30
"""Number of dimensions that neighbours are found in: fewer carry less noise."""

EXTENT = 10.0
"""Width of the plane at the beginning, in the unit of the forces."""


def lay_out(vectors: Matrix, before: Matrix | None = None) -> npt.NDArray[np.int16]:
    """Return the position of each vector (shape (points, 2)).

    `before` has the earlier positions, with NaN for new points. The map begins with them, so that it changes little.
    """
    count = len(vectors)
    if count < 2:
        return np.full((count, 2), SIDE // 2, np.int16)
    generator = np.random.default_rng(20)
    reduced = principal_components(vectors, min(DIMENSIONS, count, vectors.shape[1]), generator)
    near = nearest_neighbours(reduced, min(NEIGHBOURS, count - 1))
    places = _first_places(reduced, near, before)
    # Points at the same place would never part.
    places += generator.normal(scale=1e-3, size=places.shape).astype(np.float32)
    return _scaled(_moved(places, near, generator))


def principal_components(vectors: Matrix, dimensions: int, generator: np.random.Generator) -> Matrix:
    """Return the vectors, at unit length, in the directions in which they vary most.

    Randomized: the exact method takes many seconds for models with 3,072 dimensions.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    centred = vectors / np.maximum(lengths, 1e-9)
    centred = centred - centred.mean(axis=0)
    basis = generator.normal(size=(vectors.shape[1], min(dimensions + 10, vectors.shape[1]))).astype(np.float32)
    for _ in range(4):
        basis, _ = np.linalg.qr(centred.T @ (centred @ basis))
    projected = centred @ basis
    _, _, directions = np.linalg.svd(projected, full_matrices=False)
    return np.asarray(projected @ directions[:dimensions].T, np.float32)


def nearest_neighbours(vectors: Matrix, count: int) -> Neighbours:
    """Return the numbers of the `count` nearest other vectors of each one (shape (points, count))."""
    squares = (vectors**2).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * (vectors @ vectors.T)
    np.fill_diagonal(distances, np.inf)
    return np.argpartition(distances, count - 1, axis=1)[:, :count].astype(np.int64)


def _first_places(reduced: Matrix, near: Neighbours, before: Matrix | None) -> Matrix:
    """Return the earlier positions, for new points the mean of their neighbours', without any the main directions."""
    if before is None or np.isnan(before).all():
        flat = np.zeros((len(reduced), 2), np.float32)
        flat[:, : min(2, reduced.shape[1])] = reduced[:, :2]
        return np.asarray(flat / max(float(np.abs(flat).max()), 1e-9) * (EXTENT / 2), np.float32)
    places = (before / SIDE - 0.5) * EXTENT
    known = ~np.isnan(places[:, 0])
    filled = np.where(known[:, None], places, 0)
    counts = known[near].sum(axis=1, keepdims=True)
    means = filled[near].sum(axis=1) / np.maximum(counts, 1)
    return np.where(known[:, None], filled, means).astype(np.float32)


def _moved(places: Matrix, near: Neighbours, generator: np.random.Generator) -> Matrix:
    """Pull the points to their neighbours and push them away from others, round by round by less."""
    count, width = near.shape
    sources, targets = np.repeat(np.arange(count), width), near.ravel()
    ends = np.concatenate([sources, targets])
    degrees = np.bincount(ends, minlength=count).astype(np.float32)[:, None]
    for done in range(ROUNDS):
        pull = _pull(places[targets] - places[sources])
        both = np.concatenate([pull, -pull])
        pulled = np.stack([np.bincount(ends, both[:, axis], minlength=count) for axis in (0, 1)], axis=1)
        others = generator.integers(count, size=(count, PUSHED))
        pushed = _push(places[:, None, :] - places[others]).mean(axis=1)
        step = 1 - done / ROUNDS
        places = places + (step * (pulled / degrees + PUSH * pushed)).astype(np.float32)
    return places


def _pull(offsets: Matrix) -> Matrix:
    squares = (offsets**2).sum(axis=-1, keepdims=True)
    return np.asarray(offsets / (1 + squares), np.float32)


def _push(offsets: Matrix) -> Matrix:
    squares = (offsets**2).sum(axis=-1, keepdims=True)
    return np.asarray(np.clip(offsets / ((0.01 + squares) * (1 + squares)), -2, 2), np.float32)


def _scaled(places: Matrix) -> npt.NDArray[np.int16]:
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray(np.rint((places - low) / np.maximum(high - low, 1e-6) * SIDE), np.int16)
