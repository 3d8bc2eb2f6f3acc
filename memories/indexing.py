"""From texts to stored vectors, now or later: a broken embedder never stops a write."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef

from memories.database import teach_connection_vectors
from memories.embeddings import get_embedder
from memories.embeddings.base import Matrix
from memories.errors import EmbeddingError
from memories.models import Memory, MemoryVector
from memories.querysets import MemoryQuerySet
from memories.spaces import current_space_id

logger = logging.getLogger(__name__)

PENDING_BATCH = 64


def embed_or_leave_pending(texts: Sequence[str]) -> list[Matrix | None]:
    """The vectors of each text; None for all when the embedder fails, which the job process makes up for later."""
    if not texts:
        return []
    try:
        return list(get_embedder().embed(texts))
    except EmbeddingError as error:
        logger.warning("%d texts are stored without a vector for now: %s", len(texts), error)
        return [None] * len(texts)


def replace_vectors(memory: Memory, vectors: Matrix | None) -> None:
    """Store `vectors` in place of all that `memory` had; with None it becomes pending."""
    teach_connection_vectors()
    MemoryVector.objects.filter(memory=memory).delete()
    if vectors is not None:
        space_id = current_space_id()
        MemoryVector.objects.bulk_create(
            MemoryVector(
                owner_id=memory.owner_id, memory=memory, space_id=space_id, window=window, embedding=vector.tolist()
            )
            for window, vector in enumerate(vectors)
        )


def pending_memories() -> MemoryQuerySet:
    """The memories of every owner that have no vector in the space in use, tombstones included, oldest first."""
    indexed = MemoryVector.objects.filter(memory=OuterRef("pk"), space_id=current_space_id())
    return Memory.objects.filter(~Exists(indexed)).order_by("pk")


def index_pending_batch(after_id: int = 0) -> int | None:
    """Give the next pending memories after `after_id` their vectors; the last one's id, None when none is left.

    Rows are locked, so two processes share the work and a text that changes meanwhile is not indexed by its old words.
    Raises EmbeddingError.
    """
    with transaction.atomic():
        batch = list(pending_memories().filter(pk__gt=after_id).select_for_update(skip_locked=True)[:PENDING_BATCH])
        if not batch:
            return None
        for memory, vectors in zip(batch, get_embedder().embed([memory.text for memory in batch]), strict=True):
            replace_vectors(memory, vectors)
        return batch[-1].pk
