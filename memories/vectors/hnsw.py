"""HNSW indexes for search by meaning, one for each corpus, owner and space with many vectors.

An index covers the items up to an id. Later ones are few and are compared one by one, so no write waits for an
index. When they are no longer few, the job process builds the next index beside the old one. The catalog of PostgreSQL
is the only record of the indexes: the name of an index says what it covers, and one whose build was interrupted is not
valid.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

import psutil
from django.conf import settings
from django.db import DatabaseError, connection

from common.advisory_locks import AdvisoryLock, locked_if_free
from common.ttl import TtlValue
from memories.corpus import MEMORIES, Corpus, corpora
from memories.database import fetch_rows
from memories.models import EmbeddingSpace
from memories.vectors.growth import Growth, Key

logger = logging.getLogger(__name__)

MAX_UNINDEXED_BYTES = 4_000_000
"""Size of the vectors that are compared one by one in about 4 ms: 5,000 with 384 dimensions, 1,300 with 1,536.

An index search takes as long, whatever it covers.
"""

GROWING_PART, SETTLED_PART = 10, 100
"""Divisors for renewal: an index is renewed when uncovered vectors exceed this part of the covered ones.

They must also exceed `MAX_UNINDEXED_BYTES`. The first is for vectors to which many are being added: during an import,
each index would soon be outdated.
"""

BINARY_DIMENSIONS = 1_200
"""Number of dimensions from which an index has only the sign of each: docs/decisions/vector-index.md.

So long vectors keep enough of the distances, and pgvector could not index more than 4,000 dimensions otherwise.
"""

INDEX_CACHE_SECONDS = 5.0
"""Time for which a process may search a dropped index in vain or miss a new one: that costs time, never a match."""

BYTES_PER_DIMENSION = 2
_DIMENSIONS_PER_BYTE = 8
_BUILD_BYTES_BESIDE_VECTOR = 750
"""Memory of a vector during a build besides itself: mostly its links to 32 neighbours. On disk it is 450 bytes."""

_LEAST_BUILD_KB, _MOST_BUILD_KB = 64 * 1024, 512 * 1024
_PART_OF_MACHINE = 8
"""Divisor: a build gets up to this part of the memory of the machine that the database shares with OwnSona."""
_NAME = re.compile(r"([a-z]+)_nearest_(bits_)?(\d+)_(\d+)_(\d+)")

_CATALOG = """
SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = '{corpus.vectors}'::regclass AND relname LIKE '%%\\_nearest\\_%%'
"""
_COVERED_VECTORS = "SELECT reltuples FROM pg_class WHERE relname = %(name)s"
_VECTORS = """
SELECT owner_id, space_id, count(*), count(*) FILTER (WHERE {corpus.item_id} > coalesce(covered, 0)),
       max({corpus.item_id})
FROM {corpus.vectors}
LEFT JOIN unnest(%(owners)s::bigint[], %(spaces)s::bigint[], %(covered)s::bigint[])
       AS existing(owner_id, space_id, covered) USING (owner_id, space_id)
GROUP BY owner_id, space_id ORDER BY owner_id, space_id
"""


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The index of an owner's vectors in a space, for the items of a corpus with ids up to `covered`.

    `is_binary`: it has one bit per dimension, the sign. A search in it gives candidates, which are compared exactly.
    """

    space_id: int
    owner_id: int
    covered: int
    corpus: Corpus = MEMORIES
    is_binary: bool = False

    @classmethod
    def from_name(cls, name: str, corpus: Corpus) -> Self | None:
        """Return the index of the corpus with that name; None for any other name."""
        match = _NAME.fullmatch(name)
        if match is None or match[1] != corpus.name:
            return None
        space_id, owner_id, covered = map(int, match.group(3, 4, 5))
        return cls(space_id, owner_id, covered, corpus, is_binary=match[2] is not None)

    @property
    def name(self) -> str:
        kind = "bits_" if self.is_binary else ""
        return f"{self.corpus.name}_nearest_{kind}{self.space_id}_{self.owner_id}_{self.covered}"

    @property
    def condition(self) -> str:
        """SQL for the rows that the index covers. A search must repeat it, with literal numbers, to use the index."""
        return f"owner_id = {self.owner_id} AND space_id = {self.space_id} AND {self.corpus.item_id} <= {self.covered}"

    def distance(self, dimensions: int, to: str) -> str:
        """Return SQL for the distance of a row's vector to the vector `to`, as the index orders them."""
        if self.is_binary:
            return f"{_signs('embedding', dimensions)} <~> {_signs(to, dimensions)}"
        return f"embedding::halfvec({dimensions}) <=> {to}::halfvec({dimensions})"

    def count_vectors(self) -> int:
        """Return the number of covered vectors when the index was built; 0 if it is gone. One query."""
        rows = fetch_rows(_COVERED_VECTORS, {"name": self.name})
        return max((int(count) for (count,) in rows), default=0)

    def build(self, dimensions: int, vectors: int) -> None:
        """Build the index without blocking reads and writes. Not within a transaction."""
        # One process only: the other cores serve requests, and a parallel build needs more shared memory than
        # containers have.
        size = dimensions // _DIMENSIONS_PER_BYTE if self.is_binary else BYTES_PER_DIMENSION * dimensions
        kilobytes = vectors * (size + _BUILD_BYTES_BESIDE_VECTOR) // 1024
        indexed = (
            f"({_signs('embedding', dimensions)}) bit_hamming_ops"
            if self.is_binary
            else f"(embedding::halfvec({dimensions})) halfvec_cosine_ops"
        )
        with connection.cursor() as cursor:
            cursor.execute("SET max_parallel_maintenance_workers = 0")
            cursor.execute(f"SET maintenance_work_mem = {min(max(kilobytes, _LEAST_BUILD_KB), _most_build_kb())}")
            try:
                cursor.execute(
                    f"CREATE INDEX CONCURRENTLY {self.name} ON {self.corpus.vectors} "
                    f"USING hnsw ({indexed}) WITH (m = 16, ef_construction = 64) WHERE {self.condition}"
                )
            finally:
                cursor.execute("RESET maintenance_work_mem")
                cursor.execute("RESET max_parallel_maintenance_workers")

    def drop(self) -> None:
        """Remove the index without blocking reads and writes. Not within a transaction."""
        with connection.cursor() as cursor:
            cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {self.name}")


_growth = Growth()

# A lambda, because the functions are defined below.
cached_indexes = TtlValue(lambda: _latest(_catalog()), INDEX_CACHE_SECONDS)


def index_of(owner_id: int, space_id: int, corpus: Corpus = MEMORIES) -> VectorIndex | None:
    """Return the index to search with, if there is one. One query per corpus and process every few seconds."""
    return cached_indexes.get().get((corpus, owner_id, space_id))


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
    dimensions = dict(EmbeddingSpace.objects.values_list("pk", "dimensions"))
    for corpus in corpora():
        of_corpus = {index: is_valid for index, is_valid in existing.items() if index.corpus == corpus}
        wanted = set(_build_missing_of(corpus, of_corpus, dimensions))
        for index in of_corpus:
            if index not in wanted:
                index.drop()


def _build_missing_of(
    corpus: Corpus, existing: Mapping[VectorIndex, bool], dimensions: Mapping[int, int]
) -> Iterator[VectorIndex | None]:
    """Build missing and outgrown indexes of a corpus. Yield all indexes that are worthwhile."""
    latest = _latest(existing)
    known = {
        "owners": [index.owner_id for index in latest.values()],
        "spaces": [index.space_id for index in latest.values()],
        "covered": [index.covered for index in latest.values()],
    }
    for owner_id, space_id, vectors, uncovered, last_id in fetch_rows(corpus.in_sql(_VECTORS), known):
        most = max_unindexed_vectors(dimensions[space_id])
        if vectors <= most // 2:
            continue
        index = latest.get((corpus, owner_id, space_id))
        has_settled = _growth.has_ended(Key(corpus, owner_id, space_id), last_id)
        if uncovered > max(most, (vectors - uncovered) // (SETTLED_PART if has_settled else GROWING_PART)):
            is_binary = dimensions[space_id] >= BINARY_DIMENSIONS
            index = (
                _try_build(VectorIndex(space_id, owner_id, last_id, corpus, is_binary), dimensions[space_id], vectors)
                or index
            )
        yield index


def _most_build_kb() -> int:
    """Return the greatest memory of a build. Beyond it, each further vector takes several times as long."""
    # The machine of a database elsewhere is unknown. In a container the memory is that of the host.
    memory_kb = 0 if settings.DATABASE_URL else psutil.virtual_memory().total // 1024
    return max(_MOST_BUILD_KB, memory_kb // _PART_OF_MACHINE)


def _signs(vector: str, dimensions: int) -> str:
    return f"binary_quantize({vector}::halfvec({dimensions}))::bit({dimensions})"


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
    return {
        index: is_valid
        for corpus in corpora()
        for name, is_valid in fetch_rows(corpus.in_sql(_CATALOG), {})
        if (index := VectorIndex.from_name(name, corpus))
    }


def _latest(catalog: Mapping[VectorIndex, bool]) -> dict[tuple[Corpus, int, int], VectorIndex]:
    """Return the valid index of each corpus, owner and space that covers most."""
    valid = sorted((index for index, is_valid in catalog.items() if is_valid), key=lambda index: index.covered)
    return {(index.corpus, index.owner_id, index.space_id): index for index in valid}
