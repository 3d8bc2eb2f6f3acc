"""HNSW indexes for search by meaning, one for each owner and space with many vectors.

An index covers the memories up to an id. Later ones are few and are compared one by one, so no write waits for an
index. When they are no longer few, the job process builds the next index beside the old one. The catalog of PostgreSQL
is the only record of the indexes: the name of an index says what it covers, and one whose build was interrupted is not
valid.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from django.db import DatabaseError, connection

from common.advisory_locks import AdvisoryLock, locked_if_free
from common.ttl import TtlValue
from memories.database import fetch_rows
from memories.models import EmbeddingSpace

logger = logging.getLogger(__name__)

MAX_UNINDEXED_BYTES = 4_000_000
"""Size of the vectors that are compared one by one in about 4 ms: 5,000 with 384 dimensions, 1,300 with 1,536.

An index search takes as long, whatever it covers.
"""

UNCOVERED_PART = 10
"""Divisor for renewal: an index is renewed when uncovered vectors exceed this part of the covered ones.

They must also exceed `MAX_UNINDEXED_BYTES`.
"""

LARGEST_DIMENSIONS = 4_000
"""Largest number of dimensions that pgvector can index as halfvec. Longer vectors are compared one by one."""

INDEX_CACHE_SECONDS = 5.0
"""Time for which a process may search a dropped index in vain or miss a new one: that costs time, never a match."""

BYTES_PER_DIMENSION = 2
_BYTES_BESIDE_VECTOR = 450
_LEAST_BUILD_KB, _MOST_BUILD_KB = 64 * 1024, 512 * 1024
_NAME = re.compile(r"vector_nearest_(\d+)_(\d+)_(\d+)")

_CATALOG = """
SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = 'memories_memoryvector'::regclass AND relname LIKE 'vector\\_nearest\\_%%'
"""
_COVERED_VECTORS = "SELECT reltuples FROM pg_class WHERE relname = %(name)s"
_VECTORS = """
SELECT owner_id, space_id, count(*), count(*) FILTER (WHERE memory_id > coalesce(covered, 0)), max(memory_id)
FROM memories_memoryvector
LEFT JOIN unnest(%(owners)s::bigint[], %(spaces)s::bigint[], %(covered)s::bigint[])
       AS existing(owner_id, space_id, covered) USING (owner_id, space_id)
GROUP BY owner_id, space_id ORDER BY owner_id, space_id
"""


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The index of an owner's vectors in a space, for the memories with ids up to `covered`."""

    space_id: int
    owner_id: int
    covered: int

    @classmethod
    def from_name(cls, name: str) -> Self | None:
        """Return the index with that name; None for any other name."""
        match = _NAME.fullmatch(name)
        return cls(*map(int, match.groups())) if match else None

    @property
    def name(self) -> str:
        return f"vector_nearest_{self.space_id}_{self.owner_id}_{self.covered}"

    @property
    def condition(self) -> str:
        """SQL for the rows that the index covers. A search must repeat it, with literal numbers, to use the index."""
        return f"owner_id = {self.owner_id} AND space_id = {self.space_id} AND memory_id <= {self.covered}"

    def count_vectors(self) -> int:
        """Return the number of covered vectors when the index was built; 0 if it is gone. One query."""
        rows = fetch_rows(_COVERED_VECTORS, {"name": self.name})
        return max((int(count) for (count,) in rows), default=0)

    def build(self, dimensions: int, vectors: int) -> None:
        """Build the index without blocking reads and writes. Not within a transaction."""
        # One process only: the other cores serve requests, and a parallel build needs more shared memory than
        # containers have.
        kilobytes = vectors * (BYTES_PER_DIMENSION * dimensions + _BYTES_BESIDE_VECTOR) // 1024
        with connection.cursor() as cursor:
            cursor.execute("SET max_parallel_maintenance_workers = 0")
            cursor.execute(f"SET maintenance_work_mem = {min(max(kilobytes, _LEAST_BUILD_KB), _MOST_BUILD_KB)}")
            try:
                cursor.execute(
                    f"CREATE INDEX CONCURRENTLY {self.name} ON memories_memoryvector "
                    f"USING hnsw ((embedding::halfvec({dimensions})) halfvec_cosine_ops) "
                    f"WITH (m = 16, ef_construction = 64) WHERE {self.condition}"
                )
            finally:
                cursor.execute("RESET maintenance_work_mem")
                cursor.execute("RESET max_parallel_maintenance_workers")

    def drop(self) -> None:
        """Remove the index without blocking reads and writes. Not within a transaction."""
        with connection.cursor() as cursor:
            cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {self.name}")


# A lambda, because the functions are defined below.
cached_indexes = TtlValue(lambda: _latest(_catalog()), INDEX_CACHE_SECONDS)


def index_of(owner_id: int, space_id: int) -> VectorIndex | None:
    """Return the index to search with, if there is one. One query every `INDEX_CACHE_SECONDS` per process."""
    return cached_indexes.get().get((owner_id, space_id))


def max_unindexed_vectors(dimensions: int) -> int:
    """Return the number of vectors with that many dimensions that are searched without an index."""
    return MAX_UNINDEXED_BYTES // (BYTES_PER_DIMENSION * dimensions)


def keep_vector_indexes() -> None:
    """Build missing and outgrown indexes, and drop those that are damaged, replaced or no longer worthwhile.

    One process at a time; while one runs, another returns at once. Not within a transaction.
    """
    with locked_if_free(AdvisoryLock.VECTOR_INDEX_BUILD) as is_alone:
        if not is_alone:
            return
        try:
            _drop_damaged()
            _build_missing()
        finally:
            cached_indexes.invalidate()


def _drop_damaged() -> None:
    for index, is_valid in _catalog().items():
        if not is_valid:
            logger.warning("The build of the vector index %s did not finish. It is dropped.", index.name)
            index.drop()


def _build_missing() -> None:
    existing = _catalog()
    latest = _latest(existing)
    dimensions = dict(EmbeddingSpace.objects.values_list("pk", "dimensions"))
    known = {
        "owners": [owner_id for owner_id, _ in latest],
        "spaces": [space_id for _, space_id in latest],
        "covered": [index.covered for index in latest.values()],
    }
    wanted = set()
    for owner_id, space_id, vectors, uncovered, last_id in fetch_rows(_VECTORS, known):
        most = max_unindexed_vectors(dimensions[space_id])
        if vectors <= most // 2 or dimensions[space_id] > LARGEST_DIMENSIONS:
            continue
        index = latest.get((owner_id, space_id))
        if uncovered > max(most, (vectors - uncovered) // UNCOVERED_PART):
            index = _try_build(VectorIndex(space_id, owner_id, last_id), dimensions[space_id], vectors) or index
        wanted.add(index)
    for index in existing:
        if index not in wanted:
            index.drop()


def _try_build(index: VectorIndex, dimensions: int, vectors: int) -> VectorIndex | None:
    """Build and return the index; return None if that fails, so that the other owners still get theirs."""
    try:
        index.build(dimensions, vectors)
    except DatabaseError:
        logger.exception("The vector index %s could not be built. The next run retries.", index.name)
        return None
    return index


def _catalog() -> dict[VectorIndex, bool]:
    """Return every index of this kind, and whether it is valid."""
    rows = fetch_rows(_CATALOG, {})
    return {index: is_valid for name, is_valid in rows if (index := VectorIndex.from_name(name))}


def _latest(catalog: Mapping[VectorIndex, bool]) -> dict[tuple[int, int], VectorIndex]:
    """Return the valid index of each owner and space that covers most."""
    valid = sorted((index for index, is_valid in catalog.items() if is_valid), key=lambda index: index.covered)
    return {(index.owner_id, index.space_id): index for index in valid}
