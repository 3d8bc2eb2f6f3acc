"""Which stored memories are almost the same as new texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from memories.database import fetch_rows
from memories.embeddings.base import Matrix
from memories.models import Memory
from memories.spaces import as_halfvecs, current_space_id
from memories.view import View

NEAR = 0.90
"""The cosine similarity from which two texts count as near-duplicates."""

SHOWN = 5
"""How many near-duplicates an answer names at most."""

_CANDIDATES_PER_WINDOW = 50
_BLOCK = 1024

_NEAR_WINDOWS = """
WITH query AS MATERIALIZED (
    SELECT ordinal, vector
    FROM unnest(%(ordinals)s::int[], %(vectors)s::halfvec[]) AS given(ordinal, vector)
)
SELECT query.ordinal, near.memory_id, near.similarity, near.is_forgotten
FROM query
CROSS JOIN LATERAL (
    -- Ranked apart: what was forgotten must not push out what is in force.
    SELECT memory_id, similarity, is_forgotten,
           row_number() OVER (PARTITION BY is_forgotten ORDER BY similarity DESC) AS place
    FROM (
        SELECT memory_id, max(1 - distance) AS similarity
        FROM (
            SELECT memory_id, embedding <=> query.vector AS distance
            FROM memories_memoryvector
            WHERE owner_id = %(owner)s AND space_id = %(space)s
            OFFSET 0
        ) AS stored
        WHERE distance <= %(distance)s
        GROUP BY memory_id
    ) AS close
    CROSS JOIN LATERAL (
        SELECT deleted_at IS NOT NULL AS is_forgotten
        FROM memories_memory
        WHERE id = memory_id AND (deleted_at IS NOT NULL OR expires_at IS NULL OR expires_at > now()) {restriction}
    ) AS memory
) AS near
WHERE near.place <= %(candidates)s
"""


@dataclass(slots=True)
class Neighbours:
    """The memories near one new text, nearest first: those in force, and tombstones. Each with its cosine."""

    kept: list[tuple[Memory, float]] = field(default_factory=list)
    forgotten: list[tuple[Memory, float]] = field(default_factory=list)

    def add_kept(self, near: Sequence[tuple[Memory, float]]) -> None:
        """Take more memories in force among the nearest."""
        self.kept = sorted([*self.kept, *near], key=lambda pair: (-pair[1], pair[0].pk))[:SHOWN]


@dataclass(frozen=True, slots=True)
class _Near:
    memory_id: int
    similarity: float
    is_forgotten: bool


def find_neighbours(view: View, matrices: Sequence[Matrix]) -> list[Neighbours]:
    """For each new text, given by its windows' vectors, what of the view is near it (cosine ≥ 0.90).

    At most two queries.
    """
    nearest = [_nearest(found) for found in _search(view, matrices)]
    ids = {near.memory_id for found in nearest for near in found}
    memories = Memory.objects.visible_to(view).in_bulk(ids) if ids else {}
    return [_with_memories(found, memories) for found in nearest]


def _search(view: View, matrices: Sequence[Matrix]) -> list[list[_Near]]:
    """All that is near each text."""
    windows = [(ordinal, vector) for ordinal, matrix in enumerate(matrices) for vector in matrix]
    if not windows:
        return [[] for _ in matrices]
    rows = fetch_rows(
        _NEAR_WINDOWS.format(restriction=view.restriction),
        {
            "ordinals": [ordinal for ordinal, _ in windows],
            "vectors": as_halfvecs(vector for _, vector in windows),
            "owner": view.user_id,
            "only_tags": list(view.only_tags),
            "space": current_space_id(),
            "distance": 1 - NEAR,
            "candidates": _CANDIDATES_PER_WINDOW,
        },
    )
    similarities: defaultdict[tuple[int, int, bool], list[float]] = defaultdict(list)
    for ordinal, memory_id, similarity, is_forgotten in rows:
        similarities[ordinal, memory_id, is_forgotten].append(similarity)
    found: list[list[_Near]] = [[] for _ in matrices]
    for (ordinal, memory_id, is_forgotten), values in similarities.items():
        # A long text is near another only where all of its windows are: one shared passage must not drop the rest.
        if len(values) == len(matrices[ordinal]):
            found[ordinal].append(_Near(memory_id, min(values), is_forgotten))
    return found


def _nearest(found: Sequence[_Near]) -> list[_Near]:
    """The few to show of those in force and of the tombstones, nearest first."""
    ordered = sorted(found, key=lambda near: (-near.similarity, near.memory_id))
    kept = [near for near in ordered if not near.is_forgotten]
    return kept[:SHOWN] + [near for near in ordered if near.is_forgotten][:SHOWN]


def _with_memories(found: Sequence[_Near], memories: Mapping[int, Memory]) -> Neighbours:
    neighbours = Neighbours()
    for near in found:
        memory = memories.get(near.memory_id)
        if memory is not None:
            shown = neighbours.kept if memory.deleted_at is None else neighbours.forgotten
            shown.append((memory, near.similarity))
    return neighbours


def near_pairs(matrices: Sequence[Matrix], threshold: float) -> Iterator[tuple[int, int]]:
    """The positions (later, earlier) of texts of which any two windows have a cosine of at least `threshold`.

    Works in blocks: n windows cost n²/2 products but never more than `_BLOCK` × n numbers at once.
    """
    if len(matrices) < 2:
        return
    windows = np.concatenate(list(matrices))
    positions = np.repeat(np.arange(len(matrices)), [len(matrix) for matrix in matrices])
    for start in range(0, len(windows), _BLOCK):
        end = start + _BLOCK
        rows, columns = np.nonzero(windows[start:end] @ windows[:end].T >= threshold)
        later, earlier = positions[rows + start], positions[columns]
        pairs = np.unique(np.stack([later, earlier])[:, later > earlier], axis=1)
        yield from zip(pairs[0].tolist(), pairs[1].tolist(), strict=True)


def similarity_between(first: Matrix, second: Matrix) -> float:
    """How near the text of `first` is to that of `second`: the least of its windows' best cosines."""
    return float((first @ second.T).max(axis=1).min())
