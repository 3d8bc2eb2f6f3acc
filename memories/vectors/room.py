"""The disk space that the vectors of another embedding space need."""

from __future__ import annotations

from django.conf import settings

from common.disk_space import MEGABYTE, free_bytes
from memories.corpus import Corpus, corpora
from memories.errors import EmbeddingError
from memories.vectors.indexing import pending_items
from memories.vectors.spaces import OpenSpace, space_in_use_or_none

BYTES_PER_DIMENSION = 2
BYTES_PER_ROW = 150
"""Bytes of a vector's row besides the vector, with its entries in the primary key and in the write-ahead log."""

BYTES_PER_INDEX_ENTRY = 450
"""Bytes of an entry of the vector index besides the vector: the links to its neighbours, and unused space."""


def needed_bytes(space: OpenSpace) -> int:
    """Return roughly how many bytes the outstanding vectors of `space` take, with their index.

    Texts are assumed to have as many windows as in the space in use.
    """
    per_vector = 2 * BYTES_PER_DIMENSION * space.space.dimensions + BYTES_PER_ROW + BYTES_PER_INDEX_ENTRY
    return round(sum(_outstanding_vectors(corpus, space) for corpus in corpora()) * per_vector)


def _outstanding_vectors(corpus: Corpus, space: OpenSpace) -> float:
    in_use = space_in_use_or_none()
    windows = corpus.all_vectors.filter(space_id=in_use.pk).count() if in_use else 0
    windows_per_item = max(1.0, windows / max(1, corpus.all_items.count()))
    return pending_items(corpus, space).count() * windows_per_item


def require_room(space: OpenSpace) -> None:
    """Raise EmbeddingError unless the outstanding vectors of `space` fit on the disk, above DISK_MINIMUM_MB.

    The disk of a database on another server is not known.
    """
    free = free_bytes()
    if settings.DATABASE_URL or free is None:
        return
    needed, minimum = needed_bytes(space) // MEGABYTE, settings.DISK_MINIMUM_MB
    if free // MEGABYTE < minimum + needed:
        raise EmbeddingError(
            f"Too little disk space to embed all memories with {space}: about {needed} MB are needed besides the "
            f"{minimum} MB that stay free (DISK_MINIMUM_MB), but only {free // MEGABYTE} MB are free. Free some space."
        )
