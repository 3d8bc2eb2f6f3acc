"""Matches of a question, with their passages and possible conflicts."""

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
"""Least cosine of two texts about the same subject. They may contradict each other: an owner has no text twice."""

RANK_TOLERANCE = 0.05
"""Largest lead in rank at which a conflicting match that was confirmed later still goes first."""

MIN_CONFIRMATION_LEAD = timedelta(days=1)
"""Least lead of a later confirmation. A shorter one only reflects the order of one conversation."""

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
        """Return that part of `text` without the white space around it."""
        part = text[start:end]
        start += len(part) - len(part.lstrip())
        part = part.strip()
        return cls(start, start + len(part), part)


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that was found.

    - `cosine`: cosine to the question, 0–1; None if it is unknown.
    - `parts`: the contributions of the signals, which add up to its rank.
    - `conflicts_with`: the ids of other matches whose passage, or text, is about the same subject.
    - `passage`: the window of a long text that is nearest to the question.
    """

    memory: Memory
    cosine: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    conflicts_with: Sequence[int] = ()
    passage: Passage | None = None

    @property
    def score(self) -> float:
        """The cosine; 0 if it is unknown."""
        return self.cosine or 0.0

    @property
    def rank(self) -> float:
        """The sum of `parts`. A higher rank is more relevant."""
        return sum(self.parts.values())


def load_matches(view: View, ranked: Sequence[Ranked], space_id: int | None, vector: Vector | None) -> list[Match]:
    """Load the ranked memories in their order, with passages and possible conflicts where vectors are known.

    `vector` is that of the question, in the space `space_id`; both are None without an embedder. Memories that have
    been forgotten or have left the view meanwhile are left out. One query.
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
    # Building the query with the ORM each time would take a tenth of the time of a recall.
    rows = fetch_rows(_FOUND.format(columns=_COLUMNS, restriction=view.restriction), parameters)
    found = {memory.pk: (memory, alike, passage) for memory, alike, passage in map(_read, rows)}
    return [
        Match(memory, _at_most_one(item.candidate.cosine), item.parts, [pk for pk in alike if pk in found], passage)
        for item in ranked
        if item.candidate.memory_id in found
        for memory, alike, passage in [found[item.candidate.memory_id]]
    ]


def _at_most_one(cosine: float | None) -> float | None:
    """Return `cosine` without the excess over 1 that rounding causes."""
    return None if cosine is None else min(cosine, 1.0)


def _read(row: Row) -> tuple[Memory, list[int], Passage | None]:
    *values, start, end, alike = row
    memory = Memory.from_db(connection.alias, _ATTRIBUTES, values)
    return memory, alike, None if start is None else Passage.trimmed(memory.text, start, end)


def prefer_latest_confirmed(matches: Sequence[Match]) -> list[Match]:
    """Move each match ahead of those just before it that it outdates.

    A match outdates one that it conflicts with, that ranks about as high and that was confirmed earlier.
    """
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
    """Return whether `memory` was confirmed later than `other`.

    A date after `latest` comes from a clock that was wrong: ids decide the order then.
    """
    if max(memory.last_confirmed_at, other.last_confirmed_at) > latest:
        return memory.pk > other.pk
    return memory.last_confirmed_at - other.last_confirmed_at >= MIN_CONFIRMATION_LEAD
