"""Pairs of memories that comparisons have found to be related."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from memories.access import View
from memories.corpus import ACTIVE_CONDITION
from memories.database import fetch_rows

Relation = Literal["changes", "repeats"]
"""The columns of `Comparison`: both cannot be current, or both say the same."""

Pair = tuple[int, int]
"""The ids of two memories, the higher one first."""


def pair_of(one: int, other: int) -> Pair:
    """Return two ids as a pair."""
    return max(one, other), min(one, other)


_RELATIONS = """
WITH shown AS MATERIALIZED (
    SELECT id, text_hash FROM memories_memory WHERE owner_id = %(owner)s AND {conditions} {restriction}
)
SELECT greatest(shown.id, other.id), least(shown.id, other.id), found.relation
FROM shown
JOIN memories_comparison AS compared ON compared.memory_id = shown.id AND compared.text_hash = shown.text_hash
CROSS JOIN LATERAL (
    SELECT unnest(compared.changes), 'changes' UNION ALL SELECT unnest(compared.repeats), 'repeats'
) AS found(id, relation)
JOIN shown AS other ON other.id = found.id
"""


def compared_pairs(view: View, relation: Relation, among: Collection[int] | None = None) -> set[Pair]:
    """Return the pairs of active memories of the view that are so related.

    With `among`, only those memories are considered. One query.
    """
    return {pair for pair, found in read_relations(view, among) if found == relation}


def read_relations(view: View, among: Collection[int] | None = None) -> set[tuple[Pair, Relation]]:
    """Return the pairs of active memories of the view that are related, each with its relation. One query."""
    conditions = f"({ACTIVE_CONDITION})" + ("" if among is None else " AND id = ANY(%(ids)s::bigint[])")
    sql = _RELATIONS.format(conditions=conditions, restriction=view.restriction)
    parameters = {"owner": view.owner_id, "only_tags": list(view.only_tags), "ids": list(among or ())}
    return {((high, low), relation) for high, low, relation in fetch_rows(sql, parameters)}
