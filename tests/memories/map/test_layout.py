"""Tests of positions by meaning, and of the groups of a map."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from memories.map.groups import MAX_GROUPS, find_groups
from memories.map.layout import SIDE, lay_out, nearest_neighbours


def clusters(count: int, topics: int = 6) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Return vectors around a few centres, and the number of the centre of each."""
    generator = np.random.default_rng(5)
    centres = generator.normal(size=(topics, 64))
    topic = np.arange(count) % topics
    noise = generator.normal(size=(count, 64), scale=0.6)
    return (centres[topic] + noise).astype(np.float32), topic


def test_neighbours_stay_neighbours() -> None:
    vectors, topic = clusters(300)
    near = nearest_neighbours(lay_out(vectors).astype(np.float32), 5)
    assert (topic[near] == topic[:, None]).mean() > 0.95


def test_equal_vectors_give_an_equal_map() -> None:
    vectors, _ = clusters(80)
    assert (lay_out(vectors) == lay_out(vectors.copy())).all()


def test_an_earlier_map_changes_little() -> None:
    vectors, _ = clusters(200)
    before = lay_out(vectors[:190]).astype(np.float32)
    known = np.concatenate([before, np.full((10, 2), np.nan, np.float32)])
    moved = np.linalg.norm(lay_out(vectors, known)[:190] - before, axis=1)
    assert np.median(moved) < SIDE / 5


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_few_points_have_places(count: int) -> None:
    places = lay_out(clusters(max(count, 1))[0][:count])
    assert places.shape == (count, 2)
    assert places.min(initial=0) >= 0
    assert places.max(initial=0) <= SIDE


@pytest.mark.parametrize("vectors", [np.ones((40, 8)), np.zeros((40, 8)), np.eye(2, 8), np.ones((7, 1))])
def test_equal_and_empty_vectors_have_places(vectors: npt.NDArray[np.float64]) -> None:
    with np.errstate(all="raise", under="ignore"):
        places = lay_out(vectors.astype(np.float32))
    assert places.min() >= 0
    assert places.max() <= SIDE


def test_groups_hold_what_is_together() -> None:
    vectors, topic = clusters(240)
    groups = np.array(find_groups(lay_out(vectors)))
    assert 2 <= len(set(groups)) <= MAX_GROUPS
    pure = [np.bincount(topic[groups == group]).max() / (groups == group).sum() for group in set(groups)]
    assert np.mean(pure) > 0.9
    sizes = np.bincount(groups)
    assert list(sizes) == sorted(sizes, reverse=True)


def test_groups_of_few_or_equal_points() -> None:
    assert find_groups(np.zeros((0, 2), np.int16)) == []
    assert find_groups(np.full((1, 2), 500, np.int16)) == [0]
    assert set(find_groups(np.full((50, 2), 500, np.int16))) == {0}
