"""Tests that the near pairs among many texts are exactly those of brute force."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from memories.embeddings.base import Matrix
from memories.vectors import near_pairs as module
from memories.vectors.near_pairs import Windows, near_pairs, similarity_between

DIMENSIONS = 384


def clustered(count: int, seed: int = 1, spread: float = 0.003) -> Matrix:
    """Return unit vectors in and close to a subspace, many of them near others."""
    source = np.random.default_rng(seed)
    centres = source.standard_normal((max(1, count // 3), 40)) @ source.standard_normal((40, DIMENSIONS))
    chosen = centres[source.integers(0, len(centres), count)]
    vectors = chosen / np.linalg.norm(chosen, axis=1, keepdims=True)
    vectors = vectors + spread * source.standard_normal((count, DIMENSIONS))
    unit: Matrix = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def single(vectors: Matrix) -> Windows:
    return Windows(vectors.astype(np.float16), np.arange(len(vectors)))


def unit(vectors: npt.NDArray[np.floating]) -> Matrix:
    whole = vectors.astype(np.float32)
    lengthened: Matrix = whole / np.linalg.norm(whole, axis=1, keepdims=True)
    return lengthened


def brute_force(windows: Windows, threshold: float) -> set[tuple[int, int]]:
    whole = unit(windows.vectors)
    later, earlier = np.nonzero(whole @ whole.T >= threshold)
    pairs = windows.positions[np.stack([later, earlier])]
    return {(int(first), int(second)) for first, second in pairs.T if first > second}


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 0.92, 0.99])
def test_sketches_miss_no_pair_whatever_the_threshold(monkeypatch: pytest.MonkeyPatch, threshold: float) -> None:
    monkeypatch.setattr(module, "MAX_UNSKETCHED_WINDOWS", 10)
    monkeypatch.setattr(module, "_TILE_ROWS", 64)
    monkeypatch.setattr(module, "_TILE_COLUMNS", 150)
    windows = single(clustered(700))
    assert module._sketches(windows.vectors).shape == (700, module.SKETCH_DIMENSIONS + 1)

    pairs = list(near_pairs(windows, threshold))

    expected = brute_force(windows, threshold)
    assert expected
    # For a pair exactly at the threshold, the order of summation may decide.
    edge = brute_force(windows, threshold - 1e-5) - brute_force(windows, threshold + 1e-5)
    assert set(pairs) ^ expected <= edge
    assert len(pairs) == len(set(pairs))


def test_a_sketch_promises_at_least_the_cosine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_UNSKETCHED_WINDOWS", 10)
    vectors = clustered(300, spread=0.1).astype(np.float16)
    sketches = module._sketches(vectors)
    whole = unit(vectors)
    assert (sketches @ sketches.T - whole @ whole.T).min() >= 0


def test_few_texts_are_compared_as_they_are() -> None:
    windows = single(clustered(60))
    assert set(near_pairs(windows, 0.9)) == brute_force(windows, 0.9)


def test_a_text_is_never_near_itself_however_many_windows_it_has() -> None:
    vectors = np.eye(2, DIMENSIONS, dtype=np.float32)
    long = np.concatenate([vectors[:1]] * 5)
    windows = Windows.of_texts([long, vectors[1:], long])
    assert set(near_pairs(windows, 0.99)) == {(2, 0)}
    assert windows.of_text(0).shape == (5, DIMENSIONS)
    assert similarity_between(windows.of_text(2), windows.of_text(0)) == pytest.approx(1, abs=1e-3)


def test_equal_vectors_have_the_cosine_1_however_float16_rounded_them() -> None:
    vectors = clustered(200, spread=0.1)
    windows = single(np.concatenate([vectors, vectors]))
    equal = {(position + 200, position) for position in range(200)}
    assert equal <= set(near_pairs(windows, 1 - 1e-5))
    assert all(similarity_between(windows.of_text(one), windows.of_text(two)) >= 1 - 1e-6 for one, two in equal)


def test_nothing_and_one_text_have_no_pairs() -> None:
    assert list(near_pairs(Windows(np.empty((0, 1), np.float16), np.empty(0, np.int64)), 0.5)) == []
    assert list(near_pairs(single(clustered(3)[:1]), 0.5)) == []


def test_progress_goes_from_little_to_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TILE_ROWS", 16)
    told: list[float] = []
    list(near_pairs(single(clustered(64)), 0.9, told.append))
    assert told == sorted(told)
    assert len(told) == 4
    assert told[-1] == 1.0
