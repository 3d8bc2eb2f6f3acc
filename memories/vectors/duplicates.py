"""Groups of near-duplicate memories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memories.access import View
from memories.errors import InvalidInput, LimitExceeded
from memories.models import Memory
from memories.relations.comparison import MIN_SAME_COSINE, are_near_duplicates
from memories.vectors.compared_pairs import Pair, read_relations
from memories.vectors.near_pairs import Progress, Windows, near_pairs, similarity_between
from memories.vectors.spaces import current_space_id
from memories.vectors.vector_blocks import vector_blocks

MAX_GROUPS = 500
LOWEST_THRESHOLD = 0.5
MAX_PAIRS = 50_000
"""Limit on near pairs. With more, the groups would not be near-duplicates, and the result would be too long to read."""

MAX_COMPARED_PAIRS = 300_000
"""Limit on pairs whose texts are compared: a bound on the cost."""

COSINE_TOLERANCE = 1e-5
"""Tolerance above the error of a cosine in float32, so that equal vectors meet a threshold of 1."""


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Memories linked by near pairs, oldest first, with the cosine of the nearest pair and the number of pairs."""

    memories: list[Memory]
    max_similarity: float
    pair_count: int


@dataclass(frozen=True, slots=True)
class DuplicateGroups:
    """The strongest groups, and the numbers of all groups and pairs that were found.

    `pending_count` is the number of active memories without a vector, which were not compared.
    """

    shown: list[DuplicateGroup]
    group_count: int
    pair_count: int
    pending_count: int


def find_near_duplicates(
    view: View, *, max_groups: int, threshold: float | None = None, progress: Progress | None = None
) -> DuplicateGroups:
    """Return groups of active memories that are linked by a cosine of at least `threshold`, strongest first.

    Without a threshold, those that say the same are linked: by `Comparison`, or else by `are_near_duplicates`. The
    groups are connected components. Exact. Takes two queries, one for each block of vectors, and two more without a
    threshold.
    Raises InvalidInput, LimitExceeded or EmbeddingError.
    """
    if threshold is not None and not LOWEST_THRESHOLD <= threshold <= 1.0:
        raise InvalidInput(f"must be a number from {LOWEST_THRESHOLD} to 1.", argument="threshold")
    if not 1 <= max_groups <= MAX_GROUPS:
        raise InvalidInput(f"must be a number from 1 to {MAX_GROUPS}.", argument="max_groups")
    ids, windows, pending_count = _active_windows(view)
    if threshold is None:
        read = read_relations(view)
        changed = {pair for pair, relation in read if relation == "changes"}
        similar = _similar_pairs(ids, windows, MIN_SAME_COSINE, MAX_COMPARED_PAIRS, progress)
        pairs = _saying_the_same(view, {pair: cosine for pair, cosine in similar.items() if pair[::-1] not in changed})
        pairs |= _with_cosines((pair for pair, relation in read if relation == "repeats"), ids, windows)
    else:
        pairs = _similar_pairs(ids, windows, threshold, MAX_PAIRS, progress)
    components = sorted(
        connected_pairs(pairs), key=lambda group: (-max(pairs[pair] for pair in group), min(min(group)))
    )
    shown = components[:max_groups]
    memories = Memory.objects.visible_to(view).in_bulk(
        {memory_id for group in shown for pair in group for memory_id in pair}
    )
    return DuplicateGroups(
        [_as_group(group, pairs, memories) for group in shown], len(components), len(pairs), pending_count
    )


def find_similar_pairs(view: View, threshold: float, most: int) -> dict[tuple[int, int], float]:
    """Return the pairs of active memories with a cosine of at least `threshold`, by their ids, with their cosines.

    Exact. Raises LimitExceeded for more than `most` pairs, and EmbeddingError.
    """
    ids, windows, _ = _active_windows(view)
    return _similar_pairs(ids, windows, threshold, most, None)


def _similar_pairs(
    ids: npt.NDArray[np.int64], windows: Windows, threshold: float, most: int, progress: Progress | None
) -> dict[tuple[int, int], float]:
    """Return the near pairs of active memories, by their ids, with their cosines. Raises LimitExceeded."""
    pairs: dict[tuple[int, int], float] = {}
    least = threshold - COSINE_TOLERANCE
    for later, earlier in near_pairs(windows, least, progress):
        short, long = sorted((windows.of_text(later), windows.of_text(earlier)), key=len)
        similarity = min(similarity_between(short, long), 1.0)
        if similarity >= least:
            pairs[int(ids[earlier]), int(ids[later])] = similarity
        if len(pairs) > most:
            raise LimitExceeded(
                f"more than {most} pairs have a similarity of at least {threshold}. Use a higher threshold.",
                argument="threshold",
            )
    return pairs


def _saying_the_same(view: View, pairs: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """Return the pairs of memories that say the same. Raises LimitExceeded."""
    ids = {memory_id for pair in pairs for memory_id in pair}
    texts = dict(Memory.objects.visible_to(view).filter(pk__in=ids).values_list("pk", "text")) if ids else {}
    same = {
        (first, second): cosine
        for (first, second), cosine in pairs.items()
        if first in texts and second in texts and are_near_duplicates(texts[first], texts[second], cosine)
    }
    if len(same) > MAX_PAIRS:
        raise LimitExceeded(f"more than {MAX_PAIRS} pairs say the same. Use a high threshold.", argument="threshold")
    return same


def _with_cosines(found: Iterable[Pair], ids: npt.NDArray[np.int64], windows: Windows) -> dict[Pair, float]:
    """Return those of the pairs of memories that have vectors, each with its cosine."""
    indexed = set(ids.tolist())
    pairs = [pair for pair in found if set(pair) <= indexed]
    places = [tuple(windows.of_text(int(place)) for place in np.searchsorted(ids, pair)) for pair in pairs]
    return {(low, high): similarity_between(*both) for (high, low), both in zip(pairs, places, strict=True)}


def _active_windows(view: View) -> tuple[npt.NDArray[np.int64], Windows, int]:
    """Return the ids of active memories with vectors, their windows, and the number of active memories without vectors.

    The ids are ascending; the position of a window is that of its memory's id.
    """
    active = np.sort(np.fromiter(Memory.objects.visible_to(view).active().values_list("pk", flat=True), np.int64))
    blocks = [block.among(active) for block in vector_blocks(view.owner_id, current_space_id())]
    if not blocks:
        return active[:0], Windows(np.empty((0, 1), np.float16), np.empty(0, np.int64)), len(active)
    ids, positions = np.unique(np.concatenate([block.memory_ids for block in blocks]), return_inverse=True)
    return ids, Windows(np.concatenate([block.vectors for block in blocks]), positions), len(active) - len(ids)


def connected_pairs(pairs: Iterable[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return the pairs of each connected component (union-find)."""
    parent: dict[int, int] = {}

    def root(node: int) -> int:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for first, second in pairs:
        parent[root(first)] = root(second)
    groups: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for pair in pairs:
        groups[root(pair[0])].append(pair)
    return list(groups.values())


def _as_group(
    group: list[tuple[int, int]], pairs: dict[tuple[int, int], float], memories: dict[int, Memory]
) -> DuplicateGroup:
    ids = sorted({memory_id for pair in group for memory_id in pair})
    return DuplicateGroup(
        memories=[memories[memory_id] for memory_id in ids if memory_id in memories],
        max_similarity=max(pairs[pair] for pair in group),
        pair_count=len(group),
    )
