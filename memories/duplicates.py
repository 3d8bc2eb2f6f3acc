"""Groups of memories that say almost the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from memories.database import teach_connection_vectors
from memories.embeddings.base import Matrix
from memories.errors import InvalidInput, LimitExceeded
from memories.models import Memory, MemoryVector
from memories.neighbours import near_pairs, similarity_between
from memories.spaces import current_space_id
from memories.view import View

MAX_GROUPS = 500
LOWEST_THRESHOLD = 0.5
MAX_PAIRS = 50_000
"""With more pairs than that the groups are no near-duplicates any more, and the answer would be too long to read."""


@dataclass(frozen=True, slots=True)
class Group:
    """Memories linked by near pairs, oldest first; how near the nearest pair is, and how many pairs there are."""

    memories: list[Memory]
    max_similarity: float
    pair_count: int


@dataclass(frozen=True, slots=True)
class Groups:
    """The strongest groups; the counts are of all that were found."""

    shown: list[Group]
    group_count: int
    pair_count: int


def find_near_duplicates(view: View, *, threshold: float, max_groups: int) -> Groups:
    """Connected components of the live memories whose cosine is at least `threshold`, strongest first.

    Compares all pairs, in blocks. Two queries. Raises InvalidInput or LimitExceeded.
    """
    if not LOWEST_THRESHOLD <= threshold <= 1.0:
        raise InvalidInput(f"threshold: {threshold} is not a number from {LOWEST_THRESHOLD} to 1.")
    if not 1 <= max_groups <= MAX_GROUPS:
        raise InvalidInput(f"max_groups: {max_groups} is not a number from 1 to {MAX_GROUPS}.")
    pairs = _similar_pairs(view, threshold)
    components = sorted(_components(pairs), key=lambda group: (-max(pairs[pair] for pair in group), min(min(group))))
    shown = components[:max_groups]
    memories = Memory.objects.visible_to(view).in_bulk(
        {memory_id for group in shown for pair in group for memory_id in pair}
    )
    return Groups([_as_group(group, pairs, memories) for group in shown], len(components), len(pairs))


def _similar_pairs(view: View, threshold: float) -> dict[tuple[int, int], float]:
    """The near pairs of live memories, by their ids, with their cosine."""
    by_id = _live_vectors(view)
    ids, matrices = list(by_id), list(by_id.values())
    pairs = {}
    for later, earlier in near_pairs(matrices, threshold):
        short, long = sorted((matrices[later], matrices[earlier]), key=len)
        similarity = min(similarity_between(short, long), 1.0)
        if similarity >= threshold:
            pairs[ids[earlier], ids[later]] = similarity
        if len(pairs) > MAX_PAIRS:
            raise LimitExceeded(
                f"threshold: more than {MAX_PAIRS} pairs are at least {threshold} alike. Use a higher one."
            )
    return pairs


def _live_vectors(view: View) -> dict[int, Matrix]:
    teach_connection_vectors()
    rows = MemoryVector.objects.filter(
        owner_id=view.user_id, space_id=current_space_id(), memory__in=Memory.objects.visible_to(view).live()
    ).order_by("memory_id", "window")
    windows = defaultdict(list)
    for memory_id, embedding in rows.values_list("memory_id", "embedding"):
        windows[memory_id].append(np.asarray(embedding, dtype=np.float32))
    return {memory_id: np.stack(vectors) for memory_id, vectors in windows.items()}


def _components(pairs: Iterable[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The pairs of each connected component (union by following parents)."""
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


def _as_group(group: list[tuple[int, int]], pairs: dict[tuple[int, int], float], memories: dict[int, Memory]) -> Group:
    ids = sorted({memory_id for pair in group for memory_id in pair})
    return Group(
        memories=[memories[memory_id] for memory_id in ids if memory_id in memories],
        max_similarity=max(pairs[pair] for pair in group),
        pair_count=len(group),
    )
