"""Which stored memories are almost the same as new texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from memories.database import fetch_rows
from memories.embeddings.base import Matrix
from memories.models import Memory
from memories.spaces import as_halfvecs, current_space_id

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
SELECT query.ordinal, near.memory_id, near.similarity
FROM query
CROSS JOIN LATERAL (
    SELECT stored.memory_id, max(1 - (stored.embedding <=> query.vector)) AS similarity
    FROM memories_memoryvector AS stored
    WHERE stored.owner_id = %(owner)s AND stored.space_id = %(space)s
      AND stored.embedding <=> query.vector <= %(distance)s
    GROUP BY stored.memory_id
    ORDER BY similarity DESC
    LIMIT %(candidates)s
) AS near
"""


@dataclass(slots=True)
class Neighbours:
    """The memories near one new text, nearest first: those in force, and tombstones. Each with its cosine."""

    kept: list[tuple[Memory, float]] = field(default_factory=list)
    forgotten: list[tuple[Memory, float]] = field(default_factory=list)

    def add_kept(self, near: Sequence[tuple[Memory, float]]) -> None:
        """Take more memories in force among the nearest."""
        self.kept = sorted([*self.kept, *near], key=lambda pair: (-pair[1], pair[0].pk))[:SHOWN]


def find_neighbours(user_id: int, matrices: Sequence[Matrix]) -> list[Neighbours]:
    """For each new text, given by its windows' vectors, what is near it (cosine ≥ 0.90). At most two queries."""
    near = _similarities(user_id, matrices)
    ids = {memory_id for similarities in near for memory_id in similarities}
    if not ids:
        return [Neighbours() for _ in matrices]
    memories = list(Memory.objects.owned_by(user_id).live_or_forgotten().filter(pk__in=ids))
    return [_sorted_neighbours(memories, similarities) for similarities in near]


def _similarities(user_id: int, matrices: Sequence[Matrix]) -> list[dict[int, float]]:
    windows = [(ordinal, vector) for ordinal, matrix in enumerate(matrices) for vector in matrix]
    found: list[defaultdict[int, list[float]]] = [defaultdict(list) for _ in matrices]
    if windows:
        rows = fetch_rows(
            _NEAR_WINDOWS,
            {
                "ordinals": [ordinal for ordinal, _ in windows],
                "vectors": as_halfvecs(vector for _, vector in windows),
                "owner": user_id,
                "space": current_space_id(),
                "distance": 1 - NEAR,
                "candidates": _CANDIDATES_PER_WINDOW,
            },
        )
        for ordinal, memory_id, similarity in rows:
            found[ordinal][memory_id].append(similarity)
    # A long text is near another only where all of its windows are: one shared passage must not drop the rest.
    return [
        {memory_id: min(values) for memory_id, values in similar.items() if len(values) == len(matrix)}
        for similar, matrix in zip(found, matrices, strict=True)
    ]


def _sorted_neighbours(memories: Sequence[Memory], similarities: dict[int, float]) -> Neighbours:
    scored = sorted(
        ((memory, similarities[memory.pk]) for memory in memories if memory.pk in similarities),
        key=lambda pair: (-pair[1], pair[0].pk),
    )
    return Neighbours(
        kept=[pair for pair in scored if pair[0].deleted_at is None][:SHOWN],
        forgotten=[pair for pair in scored if pair[0].deleted_at is not None][:SHOWN],
    )


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
