"""Groups of points that are close together on the map."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

MAX_GROUPS = 12
POINTS_PER_GROUP = 8
ROUNDS = 30


def find_groups(places: npt.NDArray[np.int16]) -> list[int]:
    """Return the number of the group of each position (shape (points, 2)), the largest group first.

    The method is k-means. The first centres are far from each other, so that equal input gives equal groups.
    """
    points = places.astype(np.float32)
    if not len(points):
        return []
    centres = _first_centres(points, min(MAX_GROUPS, max(1, len(points) // POINTS_PER_GROUP)))
    nearest = _nearest(points, centres)
    for _ in range(ROUNDS):
        centres = np.array([points[nearest == number].mean(axis=0) for number in np.unique(nearest)])
        nearest = _nearest(points, centres)
    sizes = np.bincount(nearest, minlength=len(centres))
    rank = np.argsort(np.argsort(-sizes, kind="stable"), kind="stable")
    return [int(rank[number]) for number in nearest]


def _first_centres(points: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.float32]:
    """Return the point in the middle, and then always the one that is farthest from those chosen."""
    chosen = [int(np.argmin(((points - points.mean(axis=0)) ** 2).sum(axis=1)))]
    distances = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(distances)))
        distances = np.minimum(distances, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen]


def _nearest(points: npt.NDArray[np.float32], centres: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    return np.asarray(distances.argmin(axis=1), np.int64)
