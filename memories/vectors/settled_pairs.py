"""Pairs of memories of which the owner has said that both are true."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

from memories.access import View
from memories.models import CleanupFinding
from memories.vectors.compared_pairs import Pair, pair_of


def settled_pairs(view: View, memory_ids: Collection[int]) -> set[Pair]:
    """Return such pairs, each with at least one of these memories. One query."""
    dismissed = CleanupFinding.objects.filter(
        owner_id=view.owner_id,
        kind=CleanupFinding.CONTRADICTION,
        state=CleanupFinding.State.DISMISSED,
        memory_ids__overlap=list(memory_ids),
    )
    found = dismissed.values_list("memory_ids", flat=True)
    return {pair_of(*pair) for ids in found for pair in combinations(ids, 2)}
