"""What was found for a question, and which of it may contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import connection

from memories.database import Row, fetch_rows
from memories.models import Memory
from memories.ranking import Ranked
from memories.view import View

ALIKE = 0.75
"""The cosine from which two texts speak of the same thing; they differ, since nobody has a text twice."""

AS_GOOD = 0.05
"""How far apart the ranks of two that may contradict each other are for the one confirmed last to go first."""

LATER = timedelta(days=1)
"""How much later a confirmation is to tell more than the order of one conversation."""

_FIELDS = [(field.attname, field.column) for field in Memory._meta.concrete_fields]
_ATTRIBUTES = [attribute for attribute, _ in _FIELDS]
_COLUMNS = ", ".join(f"memory.{column}" for _, column in _FIELDS)

_FOUND = """
WITH main AS MATERIALIZED (
    SELECT memory_id, embedding FROM memories_memoryvector
    WHERE space_id = %(space)s::bigint AND "window" = 0 AND memory_id = ANY(%(ids)s::bigint[])
)
SELECT {columns}, ARRAY(
    SELECT other.memory_id FROM main AS one JOIN main AS other ON other.memory_id <> one.memory_id
    WHERE one.memory_id = memory.id AND 1 - (one.embedding <=> other.embedding) >= %(alike)s
    ORDER BY other.memory_id)
FROM memories_memory AS memory
WHERE id = ANY(%(ids)s::bigint[]) AND owner_id = %(owner)s AND deleted_at IS NULL {restriction}
"""


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that was found; `score` is its cosine similarity to the question, 0–1; `parts` add up to its rank.

    `conflicts_with`: the ids of other matches that say something alike.
    """

    memory: Memory
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    conflicts_with: Sequence[int] = ()

    @property
    def rank(self) -> float:
        """The greater, the further ahead."""
        return sum(self.parts.values())


def matches_of(view: View, ranked: Sequence[Ranked], space_id: int | None) -> list[Match]:
    """The memories in their order, with those that each may contradict as far as their vectors tell. One query.

    What has been forgotten or taken out of the view meanwhile is left out.
    """
    if not ranked:
        return []
    parameters = {
        "ids": [item.evidence.memory_id for item in ranked],
        "space": space_id,
        "alike": ALIKE,
        "owner": view.user_id,
        "only_tags": list(view.only_tags),
    }
    # Of all that a question costs, making a query anew with the ORM would be a tenth.
    rows = fetch_rows(_FOUND.format(columns=_COLUMNS, restriction=view.restriction), parameters)
    found = {memory.pk: (memory, alike) for memory, alike in map(_read, rows)}
    return [
        Match(memory, min(item.evidence.score or 0.0, 1.0), item.parts, [pk for pk in alike if pk in found])
        for item in ranked
        if item.evidence.memory_id in found
        for memory, alike in [found[item.evidence.memory_id]]
    ]


def _read(row: Row) -> tuple[Memory, list[int]]:
    *values, alike = row
    return Memory.from_db(connection.alias, _ATTRIBUTES, values), alike


def latest_first(matches: Sequence[Match]) -> list[Match]:
    """The matches, each moved ahead of those just before it that it outdates: in conflict, as good, confirmed later."""
    ordered: list[Match] = []
    for match in matches:
        place = len(ordered)
        while place and _outdates(match, ordered[place - 1]):
            place -= 1
        ordered.insert(place, match)
    return ordered


def _outdates(match: Match, other: Match) -> bool:
    return (
        match.memory.pk in other.conflicts_with
        and other.rank - match.rank <= AS_GOOD
        and match.memory.last_confirmed_at - other.memory.last_confirmed_at >= LATER
    )
