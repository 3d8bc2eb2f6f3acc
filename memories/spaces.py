"""Which embedding space is in use, and vectors on their way to PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from django.db import connection
from pgvector import HalfVector

from memories.embeddings import get_embedder
from memories.embeddings.base import Space, Vector
from memories.models import EmbeddingSpace


def current_space_id() -> int:
    """The id of the configured embedder's space; its row is made at the first call. Raises EmbeddingError."""
    space = get_embedder().space
    # A row that is made inside a transaction may be rolled back: its id must not be remembered.
    return _find_or_make(space) if connection.in_atomic_block else remembered_space_id(space)


@lru_cache(maxsize=8)
def remembered_space_id(space: Space) -> int:
    """The id of `space`, looked up once a process: rows of spaces are never deleted."""
    return _find_or_make(space)


def _find_or_make(space: Space) -> int:
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
