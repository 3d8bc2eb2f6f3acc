"""What was found for a question, and which of it may contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Self

from django.db import connection
from django.utils import timezone

from common.clock import TOLERANCE
from memories.access import View
from memories.database import Row, fetch_rows
from memories.embeddings.base import Vector
from memories.models import Memory
from memories.recall.ranking import Ranked
from memories.vectors.spaces import as_halfvec

CONFLICT_COSINE = 0.75
"""The cosine from which two texts speak of the same thing; they differ, since nobody has a text twice."""

RANK_TOLERANCE = 0.05
"""How far apart the ranks of two that may contradict each other are for the one confirmed last to go first."""

MIN_CONFIRMATION_LEAD = timedelta(days=1)
"""How much later a confirmation is to tell more than the order of one conversation."""

_FIELDS = [(field.attname, field.column) for field in Memory._meta.concrete_fields]
_ATTRIBUTES = [attribute for attribute, _ in _FIELDS]
_COLUMNS = ", ".join(f"memory.{column}" for _, column in _FIELDS)

_FOUND = """
WITH best AS MATERIALIZED (
    SELECT DISTINCT ON (memory_id) memory_id, embedding, start_char, end_char FROM memories_memoryvector
    WHERE space_id = %(space)s::bigint AND memory_id = ANY(%(ids)s::bigint[])
    ORDER BY memory_id, embedding <=> %(vector)s::halfvec
)
SELECT {columns}, start_char, end_char, ARRAY(
    SELECT memory_id FROM best AS other
    WHERE memory_id <> memory.id AND 1 - (embedding <=> best.embedding) >= %(alike)s
    ORDER BY memory_id)
FROM memories_memory AS memory LEFT JOIN best ON best.memory_id = memory.id
WHERE id = ANY(%(ids)s::bigint[]) AND owner_id = %(owner)s AND deleted_at IS NULL {restriction}
"""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a memory's text: `text` is its characters from `start` up to, not including, `end`."""

    start: int
    end: int
    text: str

    @classmethod
    def trimmed(cls, text: str, start: int, end: int) -> Self:
        """That part of `text`, without the blanks around it."""
        part = text[start:end]
        start += len(part) - len(part.lstrip())
        part = part.strip()
        return cls(start, start + len(part), part)


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that was found; `cosine`, 0–1, is how near it is to the question, None where that is unknown; `parts`
    add up to its rank.

    `passage` is the window of a long text that is nearest to the question; `conflicts_with`: the ids of other matches
    whose passage, or text, says something alike.
    """

    memory: Memory
    cosine: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    conflicts_with: Sequence[int] = ()
    passage: Passage | None = None

    @property
    def score(self) -> float:
        """The cosine; 0 where it is unknown."""
        return self.cosine or 0.0

    @property
    def rank(self) -> float:
        """The greater, the further ahead."""
        return sum(self.parts.values())


def load_matches(view: View, ranked: Sequence[Ranked], space_id: int | None, vector: Vector | None) -> list[Match]:
    """The memories in their order, as far as their vectors tell with their passages and what each may contradict.

    `vector` is that of the question, in that space; None without an embedder. What has been forgotten or taken out of
    the view meanwhile is left out. One query.
    """
    if not ranked:
        return []
    parameters = {
        "ids": [item.candidate.memory_id for item in ranked],
        "space": space_id,
        "vector": None if vector is None else as_halfvec(vector),
        "alike": CONFLICT_COSINE,
        "owner": view.owner_id,
        "only_tags": list(view.only_tags),
    }
    # Of all that a question costs, making a query anew with the ORM would be a tenth.
    rows = fetch_rows(_FOUND.format(columns=_COLUMNS, restriction=view.restriction), parameters)
    found = {memory.pk: (memory, alike, passage) for memory, alike, passage in map(_read, rows)}
    return [
        Match(memory, _cosine(item.candidate.score), item.parts, [pk for pk in alike if pk in found], passage)
        for item in ranked
        if item.candidate.memory_id in found
        for memory, alike, passage in [found[item.candidate.memory_id]]
    ]


def _cosine(score: float | None) -> float | None:
    """`score` without what rounding adds."""
    return None if score is None else min(score, 1.0)


def _read(row: Row) -> tuple[Memory, list[int], Passage | None]:
    *values, start, end, alike = row
    memory = Memory.from_db(connection.alias, _ATTRIBUTES, values)
    return memory, alike, None if start is None else Passage.trimmed(memory.text, start, end)


def prefer_latest_confirmed(matches: Sequence[Match]) -> list[Match]:
    """The matches, each moved ahead of those just before it that it outdates: in conflict, as good, confirmed later."""
    latest = timezone.now() + TOLERANCE
    ordered: list[Match] = []
    for match in matches:
        place = len(ordered)
        while place and _outdates(match, ordered[place - 1], latest):
            place -= 1
        ordered.insert(place, match)
    return ordered


def _outdates(match: Match, other: Match, latest: datetime) -> bool:
    return (
        match.memory.pk in other.conflicts_with
        and other.rank - match.rank <= RANK_TOLERANCE
        and _is_confirmed_later(match.memory, other.memory, latest)
    )


def _is_confirmed_later(memory: Memory, other: Memory, latest: datetime) -> bool:
    """Whether `memory` was confirmed later. A date after `latest` is of a clock that was wrong: ids tell the order."""
    if max(memory.last_confirmed_at, other.last_confirmed_at) > latest:
        return memory.pk > other.pk
    return memory.last_confirmed_at - other.last_confirmed_at >= MIN_CONFIRMATION_LEAD
