"""From texts to stored vectors, now or later: a broken embedder never stops a write."""

from __future__ import annotations

import itertools
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from django.db import transaction
from django.db.models import Exists, OuterRef

from memories.database import teach_connection_vectors
from memories.embeddings import get_embedder
from memories.embeddings.base import Matrix, Vector
from memories.errors import EmbeddingError
from memories.models import Memory, MemoryVector
from memories.querysets import MemoryQuerySet
from memories.spaces import current_space_id

logger = logging.getLogger(__name__)

PENDING_BATCH = 64
CHARS_AT_ONCE = 100_000
"""How much text one call embeds before it answers: about half a minute of the local model."""

REFUSALS = frozenset({400, 413, 422})
"""HTTP statuses by which a provider says that it is a text that it will not take."""


def embed_or_leave_pending(texts: Sequence[str]) -> list[Matrix | None]:
    """The vectors of each text; None where the job process will make up for it.

    That is all of them when the embedder fails, and those past the first `CHARS_AT_ONCE` characters of a call.
    """
    lengths = itertools.accumulate(len(text) for text in texts)
    now = texts[: max(1, sum(length <= CHARS_AT_ONCE for length in lengths))]
    try:
        vectors: list[Matrix | None] = list(get_embedder().embed(now)) if now else []
    except EmbeddingError as error:
        logger.warning("%d texts are stored without a vector for now: %s", len(texts), error)
        vectors = []
    return vectors + [None] * (len(texts) - len(vectors))


def replace_vectors(memory: Memory, vectors: Matrix | None) -> None:
    """Store `vectors` in place of all that `memory` had; with None it becomes pending."""
    MemoryVector.objects.filter(memory=memory).delete()
    if vectors is not None:
        add_vectors([(memory, vectors)])


def add_vectors(indexed: Iterable[tuple[Memory, Matrix]]) -> None:
    """Store the vectors of memories that have none. What another process stored meanwhile stays."""
    teach_connection_vectors()
    space_id = current_space_id()
    MemoryVector.objects.bulk_create(
        (
            MemoryVector(
                owner_id=memory.owner_id, memory=memory, space_id=space_id, window=window, embedding=vector.tolist()
            )
            for memory, vectors in indexed
            for window, vector in enumerate(vectors)
        ),
        ignore_conflicts=True,
    )


def stored_vectors(user_id: int, memories: Collection[Memory] | MemoryQuerySet) -> dict[int, Matrix]:
    """The vectors of those of the user's `memories` that have them in the space in use, by id. One query."""
    teach_connection_vectors()
    rows = MemoryVector.objects.filter(owner_id=user_id, space_id=current_space_id(), memory__in=memories)
    windows: defaultdict[int, list[Vector]] = defaultdict(list)
    for memory_id, embedding in rows.order_by("memory_id", "window").values_list("memory_id", "embedding"):
        windows[memory_id].append(np.asarray(embedding, dtype=np.float32))
    return {memory_id: np.stack(vectors) for memory_id, vectors in windows.items()}


def has_vector() -> Exists:
    """The condition on a memory that it has its vectors in the space in use."""
    return Exists(MemoryVector.objects.filter(memory=OuterRef("pk"), space_id=current_space_id()))


def pending_memories() -> MemoryQuerySet:
    """The memories of every owner that have no vector in the space in use, tombstones included, oldest first."""
    return Memory.objects.filter(~has_vector()).order_by("pk")


def index_pending_batch(after_id: int = 0) -> int | None:
    """Give the next pending memories after `after_id` their vectors; the last one's id, None when none is left.

    No row is locked while the embedder works. A text that changed meanwhile is not indexed by its old words: it stays
    pending. Raises EmbeddingError.
    """
    batch = list(pending_memories().filter(pk__gt=after_id)[:PENDING_BATCH])
    if not batch:
        return None
    indexed = _embed_what_can_be(batch)
    with transaction.atomic():
        pending = pending_memories().filter(pk__in=[memory.pk for memory, _ in indexed]).select_for_update()
        current = {memory.pk: memory.text for memory in pending}
        add_vectors((memory, vectors) for memory, vectors in indexed if current.get(memory.pk) == memory.text)
    return batch[-1].pk


def _embed_what_can_be(batch: Sequence[Memory]) -> list[tuple[Memory, Matrix]]:
    """The memories with their vectors; one whose text the provider refuses must not keep the others waiting.

    Raises EmbeddingError when it is the provider that fails.
    """
    try:
        return list(zip(batch, get_embedder().embed([memory.text for memory in batch]), strict=True))
    except EmbeddingError as error:
        if error.status not in REFUSALS:
            raise
        if len(batch) == 1:
            logger.warning("Memory %d stays without a vector: %s", batch[0].pk, error)
            return []
    return [indexed for memory in batch for indexed in _embed_what_can_be([memory])]
