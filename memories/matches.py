"""What was found for a question, and which of it may contradict each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from memories.database import fetch_rows
from memories.models import Memory
from memories.spaces import current_space_id

ALIKE = 0.75
"""The cosine from which two texts speak of the same thing; they differ, since nobody has a text twice."""

AS_GOOD = 0.05
"""How far apart the ranks of two that may contradict each other are for the one confirmed last to go first."""

LATER = timedelta(days=1)
"""How much later a confirmation is to tell more than the order of one conversation."""

_ALIKE = """
SELECT one.memory_id, other.memory_id
FROM memories_memoryvector AS one
JOIN memories_memoryvector AS other USING (space_id, "window")
WHERE space_id = %(space)s AND "window" = 0
  AND one.memory_id = ANY(%(ids)s::bigint[]) AND other.memory_id = ANY(%(ids)s::bigint[])
  AND one.memory_id < other.memory_id AND 1 - (one.embedding <=> other.embedding) >= %(alike)s
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


def with_conflicts(matches: Sequence[Match]) -> list[Match]:
    """The matches, each with the ids of those that it may contradict. One query."""
    if len(matches) < 2:
        return list(matches)
    ids = [match.memory.pk for match in matches]
    others: defaultdict[int, list[int]] = defaultdict(list)
    for one, other in fetch_rows(_ALIKE, {"space": current_space_id(), "ids": ids, "alike": ALIKE}):
        others[one].append(other)
        others[other].append(one)
    return [replace(match, conflicts_with=sorted(others[match.memory.pk])) for match in matches]


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
