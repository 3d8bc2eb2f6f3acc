"""Which embedding space is in use, and vectors on their way to PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from pgvector import HalfVector

from memories.embeddings import get_embedder
from memories.embeddings.base import Space, Vector
from memories.models import EmbeddingSpace


def current_space_id() -> int:
    """The id of the configured embedder's space; its row is made at the first call."""
    return _space_id(get_embedder().space)


@lru_cache(maxsize=8)
def _space_id(space: Space) -> int:
    row, _ = EmbeddingSpace.objects.get_or_create(
        provider=space.provider, model=space.model, dimensions=space.dimensions
    )
    return row.pk


def as_halfvec(vector: Vector) -> HalfVector:
    """`vector` as a query parameter."""
    return HalfVector(vector)


def as_halfvecs(vectors: Iterable[Vector]) -> list[HalfVector]:
    """`vectors` as one query parameter of type halfvec[]."""
    return [HalfVector(vector) for vector in vectors]
