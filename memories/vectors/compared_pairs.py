"""Pairs of memories of which a comparison has shown how they are related."""

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

_PAIRS = """
WITH shown AS MATERIALIZED (
    SELECT id, text_hash FROM memories_memory WHERE owner_id = %(owner)s AND {conditions} {restriction}
)
SELECT greatest(shown.id, other.id), least(shown.id, other.id)
FROM shown
JOIN memories_comparison AS compared ON compared.memory_id = shown.id AND compared.text_hash = shown.text_hash
CROSS JOIN LATERAL unnest(compared.{relation}) AS found(id) JOIN shown AS other ON other.id = found.id
"""


def compared_pairs(view: View, relation: Relation, among: Collection[int] | None = None) -> set[Pair]:
    """Return the pairs of active memories of the view that are so related, by their ids, the higher one first.

    With `among`, only those memories are considered. One query.
    """
    conditions = f"({ACTIVE_CONDITION})" + ("" if among is None else " AND id = ANY(%(ids)s::bigint[])")
    sql = _PAIRS.format(conditions=conditions, restriction=view.restriction, relation=relation)
    parameters = {"owner": view.owner_id, "only_tags": list(view.only_tags), "ids": list(among or ())}
    return set(fetch_rows(sql, parameters))
