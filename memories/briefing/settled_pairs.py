"""Pairs of memories of which the owner has said that both are true."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

from memories.access import View
from memories.models import CleanupFinding
from memories.vectors.compared_pairs import Pair


def settled_pairs(view: View, memory_ids: Collection[int]) -> set[Pair]:
    """Return the pairs of these memories and others that do not contradict each other. One query."""
    dismissed = CleanupFinding.objects.filter(
        owner_id=view.owner_id,
        kind=CleanupFinding.CONTRADICTION,
        state=CleanupFinding.State.DISMISSED,
        memory_ids__overlap=list(memory_ids),
    )
    pairs = (pair for ids in dismissed.values_list("memory_ids", flat=True) for pair in combinations(sorted(ids), 2))
    return {(high, low) for low, high in pairs}
