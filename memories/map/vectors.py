"""The memories of a map, and a vector for each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from django.db.models import Case, IntegerField, Value, When

from memories.access import View
from memories.models import Memory
from memories.vectors.vector_blocks import vectors_of

Id = TypeVar("Id", bound=Hashable)


class Located(NamedTuple, Generic[Id]):
    """Ids, and the vector of each (shape (ids, dimensions))."""

    ids: Sequence[Id]
    vectors: npt.NDArray[np.float32]


def memory_vectors(view: View, space_id: int, limit: int) -> Located[int]:
    """Return at most `limit` active memories: pinned ones, then the most important, then the newest. Two queries.

    The vector of a memory with several windows is their mean. Memories without a vector are left out.
    """
    pinned = Case(When(briefing_place=Memory.BriefingPlace.PINNED, then=Value(0)), default=Value(1),
                  output_field=IntegerField())  # fmt: skip
    chosen = Memory.objects.visible_to(view).active().order_by(pinned, "-importance", "-created_at", "-pk")
    ids = sorted(chosen.values_list("pk", flat=True)[:limit])
    block = vectors_of(view.owner_id, space_id, ids) if ids else None
    if block is None:
        return Located([], np.zeros((0, 1), np.float32))
    found, starts = np.unique(block.memory_ids, return_index=True)
    counts = np.diff([*starts, len(block.memory_ids)])
    sums = np.add.reduceat(block.vectors.astype(np.float32), starts, axis=0)
    return Located(found.tolist(), np.asarray(sums / counts[:, None], np.float32))
