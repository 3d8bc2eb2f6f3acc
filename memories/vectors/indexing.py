"""From texts to stored vectors, now or later: a broken embedder never stops a write."""

from __future__ import annotations

import itertools
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from django.db import transaction
from django.db.models import Exists, OuterRef

from common.advisory_locks import AdvisoryLock, locked_where_free
from memories.database import fetch_rows, register_vector_types
from memories.embeddings.base import Vector
from memories.embeddings.interactive import interactive_embedding
from memories.errors import EmbeddingError
from memories.models import Memory, MemoryQuerySet, MemoryVector
from memories.vectors.spaces import (
    OpenSpace,
    TextVectors,
    space_in_use,
    space_in_use_or_none,
    vector_columns,
    vector_rows,
)

logger = logging.getLogger(__name__)

PENDING_BATCH = 64
MAX_IMMEDIATE_CHARS = 100_000
"""How much text one call embeds before it answers: about half a minute of the local model."""

REFUSAL_STATUSES = frozenset({400, 413, 422})
"""HTTP statuses by which a provider says that it is a text that it will not take."""

_MEMORY_BITS, _SPACE_BITS = 44, 12
"""The parts of the number of a claim, an advisory lock. Two spaces that agree in theirs only wait for each other."""

_ADD_VECTORS = """
INSERT INTO memories_memoryvector (owner_id, memory_id, space_id, "window", embedding, start_char, end_char)
SELECT given.*
FROM unnest(%(owners)s::bigint[], %(memories)s::bigint[], %(spaces)s::bigint[], %(windows)s::smallint[],
            %(vectors)b::halfvec[], %(starts)s::int[], %(ends)s::int[])
     AS given(owner_id, memory_id, space_id, "window", embedding, start_char, end_char)
JOIN (SELECT id FROM memories_embeddingspace WHERE id = ANY (%(spaces)s::bigint[]) FOR KEY SHARE)
     AS existing ON existing.id = given.space_id
ON CONFLICT DO NOTHING
RETURNING 1
"""


def embed_or_leave_pending(texts: Sequence[str]) -> list[TextVectors | None]:
    """The vectors of each text; None where the job process will make up for it.

    That is all of them when the embedder fails, and those past the first `MAX_IMMEDIATE_CHARS` characters of a call.
    """
    lengths = itertools.accumulate(len(text) for text in texts)
    now = texts[: max(1, sum(length <= MAX_IMMEDIATE_CHARS for length in lengths))]
    try:
        with interactive_embedding(len(texts) == 1):
            vectors: list[TextVectors | None] = list(_embed(space_in_use(), now)) if now else []
    except EmbeddingError as error:
        logger.warning("%d texts are stored without a vector for now: %s", len(texts), error)
        vectors = []
    return vectors + [None] * (len(texts) - len(vectors))


def _embed(space: OpenSpace, texts: Sequence[str]) -> list[TextVectors]:
    return [TextVectors(space.pk, made.windows, made.spans) for made in space.embedder.embed(texts)]


def replace_vectors(memory: Memory, vectors: TextVectors | None) -> None:
    """Store `vectors` in place of all that `memory` had, in any space; with None it becomes pending."""
    MemoryVector.objects.filter(memory=memory).delete()
    if vectors is not None:
        add_vectors([(memory, vectors)])


def add_vectors(indexed: Iterable[tuple[Memory, TextVectors]]) -> None:
    """Store the vectors of memories that have none. What another process stored meanwhile stays.

    Those of a space that has been deleted meanwhile are left out: their memories are pending.
    """
    given = list(indexed)
    rows = vector_rows([vectors for _, vectors in given])
    if rows:
        fetch_rows(
            _ADD_VECTORS,
            {
                "owners": [given[row.ordinal][0].owner_id for row in rows],
                "memories": [given[row.ordinal][0].pk for row in rows],
                **vector_columns(rows),
            },
        )


def stored_vectors(owner_id: int, memories: Collection[Memory]) -> dict[int, TextVectors]:
    """The vectors of those of the user's `memories` that have them in the space in use, by id. One query."""
    space = space_in_use_or_none()
    if space is None:
        return {}
    register_vector_types()
    rows = MemoryVector.objects.filter(owner_id=owner_id, space_id=space.pk, memory__in=memories)
    windows: defaultdict[int, list[Vector]] = defaultdict(list)
    for memory_id, embedding in rows.order_by("memory_id", "window").values_list("memory_id", "embedding"):
        windows[memory_id].append(np.asarray(embedding, dtype=np.float32))
    return {memory_id: TextVectors(space.pk, np.stack(vectors)) for memory_id, vectors in windows.items()}


def has_vector(space: OpenSpace | None = None) -> Exists:
    """The condition on a memory that it has its vectors in a space; None: in the one in use, if there is any."""
    space = space or space_in_use_or_none()
    vectors = MemoryVector.objects.filter(space_id=space.pk) if space else MemoryVector.objects.none()
    return Exists(vectors.filter(memory=OuterRef("pk")))


def pending_memories(space: OpenSpace | None = None) -> MemoryQuerySet:
    """The memories of every owner that have no vector in a space, tombstones included, oldest first."""
    return Memory.objects.filter(~has_vector(space)).order_by("pk")


def memories_without_window_spans(space: OpenSpace) -> MemoryQuerySet:
    """The memories of every owner with several windows in a space of which nobody noted where they stand."""
    unplaced = MemoryVector.objects.filter(space_id=space.pk, memory=OuterRef("pk"), window=1, start_char=None)
    return Memory.objects.filter(Exists(unplaced)).order_by("pk")


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What one step did: the last memory it looked at, how many it indexed, how many another process works on."""

    last_id: int
    indexed: int
    claimed_elsewhere: int


def index_batch(wanted: MemoryQuerySet, space: OpenSpace, after_id: int = 0) -> BatchResult | None:
    """Give the next of the `wanted` memories after `after_id` new vectors in `space`; None when there are none.

    Several processes share the work: what one has claimed, the others pass over. No row is locked while the embedder
    works. A text that changed meanwhile is not indexed by its old words: it stays as it is. Raises EmbeddingError.
    """
    ids = list(wanted.filter(pk__gt=after_id).values_list("pk", flat=True)[:PENDING_BATCH])
    if not ids:
        return None
    with _claimed(space, ids) as mine:
        # Whoever had claimed them before may have indexed them meanwhile.
        indexed = _embed_skipping_refused(space, list(wanted.filter(pk__in=mine)))
        with transaction.atomic():
            still_wanted = wanted.filter(pk__in=[memory.pk for memory, _ in indexed]).select_for_update()
            current = {memory.pk: memory.text for memory in still_wanted}
            unchanged = [(memory, vectors) for memory, vectors in indexed if current.get(memory.pk) == memory.text]
            MemoryVector.objects.filter(space_id=space.pk, memory__in=[memory.pk for memory, _ in unchanged]).delete()
            add_vectors(unchanged)
    return BatchResult(ids[-1], len(unchanged), len(ids) - len(mine))


def index_pending_batch(after_id: int = 0, space: OpenSpace | None = None) -> BatchResult | None:
    """The same for the pending memories of a space; None: of the one in use."""
    space = space or space_in_use()
    return index_batch(pending_memories(space), space, after_id)


@contextmanager
def _claimed(space: OpenSpace, ids: Sequence[int]) -> Iterator[list[int]]:
    """Those of `ids` that no other process works on, kept from others meanwhile. A killed process gives them back."""
    upper = space.pk % (1 << _SPACE_BITS) << _MEMORY_BITS
    with locked_where_free(AdvisoryLock.MEMORY_INDEXING, [upper + memory_id for memory_id in ids]) as taken:
        yield [number - upper for number in taken]


def _embed_skipping_refused(space: OpenSpace, batch: Sequence[Memory]) -> list[tuple[Memory, TextVectors]]:
    """The memories with their vectors; one whose text the provider refuses must not keep the others waiting.

    Raises EmbeddingError when it is the provider that fails.
    """
    if not batch:
        return []
    try:
        return list(zip(batch, _embed(space, [memory.text for memory in batch]), strict=True))
    except EmbeddingError as error:
        if error.status not in REFUSAL_STATUSES:
            raise
        if len(batch) == 1:
            logger.warning("Memory %d stays without a vector: %s", batch[0].pk, error)
            return []
    return [indexed for memory in batch for indexed in _embed_skipping_refused(space, [memory])]
