"""Matches of a question, with their passages, and the cosines between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Self

from memories.access import View
from memories.database import Row, fetch_rows
from memories.embeddings.base import Vector
from memories.memory_rows import MEMORY_COLUMNS, memory_from
from memories.models import Memory
from memories.recall.ranking import Ranked
from memories.relations.comparison import MIN_RELATED_COSINE
from memories.vectors.compared_pairs import Pair, pair_of
from memories.vectors.nearest import FurtherColumns
from memories.vectors.spaces import as_halfvec

_FOUND = """
WITH best AS MATERIALIZED (
    SELECT DISTINCT ON (memory_id) memory_id, embedding, start_char, end_char FROM memories_memoryvector
    WHERE space_id = %(space)s::bigint AND memory_id = ANY(%(ids)s::bigint[])
    ORDER BY memory_id, embedding <#> %(vector)s::halfvec
)
SELECT {columns}, start_char, end_char, coalesce(related.ids, '{{}}'), coalesce(related.cosines, '{{}}'),
       {changes}, {settled}
FROM memories_memory AS memory LEFT JOIN best ON best.memory_id = memory.id CROSS JOIN LATERAL (
    SELECT array_agg(pair.memory_id) AS ids, array_agg(pair.cosine) AS cosines
    FROM (
        SELECT other.memory_id, -(other.embedding <#> best.embedding) AS cosine FROM best AS other
        WHERE other.memory_id < memory.id OFFSET 0
    ) AS pair
    WHERE pair.cosine >= %(related)s
) AS related
WHERE id = ANY(%(ids)s::bigint[]) AND owner_id = %(owner)s {state} {restriction}
"""
# The first matches by meaning, read by the search itself. Look-ups stay look-ups (OFFSET 0), whatever number of rows
# the planner estimates.
FOUND_BY_SEARCH = """
WITH near AS MATERIALIZED ({search}), best AS MATERIALIZED (
    SELECT wanted.memory_id, nearest.* FROM (
        SELECT memory_id FROM near GROUP BY memory_id
        ORDER BY greatest(max(similarity), 0) DESC, memory_id DESC LIMIT %(wanted)s
    ) AS wanted CROSS JOIN LATERAL (
        SELECT embedding, start_char, end_char FROM memories_memoryvector
        WHERE space_id = %(space)s::bigint AND memory_id = wanted.memory_id
        ORDER BY embedding <#> %(vector)s::halfvec LIMIT 1
    ) AS nearest
), found AS (
    SELECT {columns}, start_char, end_char, coalesce(related.ids, '{}') AS ids,
           coalesce(related.cosines, '{}') AS cosines, {changes} AS changes,
           {settled} AS settled
    FROM best CROSS JOIN LATERAL (
        SELECT * FROM memories_memory WHERE id = best.memory_id AND owner_id = %(owner)s OFFSET 0
    ) AS memory CROSS JOIN LATERAL (
        SELECT array_agg(pair.memory_id) AS ids, array_agg(pair.cosine) AS cosines FROM (
            SELECT other.memory_id, -(other.embedding <#> best.embedding) AS cosine FROM best AS other
            WHERE other.memory_id < memory.id OFFSET 0
        ) AS pair WHERE pair.cosine >= %(related)s
    ) AS related
)
SELECT near.memory_id, near.similarity, near.is_covered, found.*
FROM near LEFT JOIN found ON found.id = near.memory_id
"""
# A look-up by its key for each of the few memories.
_CHANGES = """
(SELECT changes FROM memories_comparison AS compared
 WHERE compared.memory_id = memory.id AND compared.text_hash = memory.text_hash)
"""
_CHANGES_SQL = " ".join(_CHANGES.split())
# The ids of pairs of which the owner has said that both are true, one after the other.
_SETTLED = """
ARRAY(SELECT unnest(memory_ids) FROM memories_cleanupfinding
 WHERE owner_id = %(owner)s AND state = 'dismissed' AND kind = 'contradiction' AND cardinality(memory_ids) = 2
 AND memory_ids && {ids})
"""
_SETTLED_SQL = " ".join(_SETTLED.split())
_NOT_FORGOTTEN = "AND deleted_at IS NULL"


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a memory's text: `text` is its characters from `start` up to, not including, `end`."""

    start: int
    end: int
    text: str

    @classmethod
    def trimmed(cls, text: str, start: int, end: int) -> Self:
        """Return the part of `text` without surrounding white space."""
        part = text[start:end]
        start += len(part) - len(part.lstrip())
        part = part.strip()
        return cls(start, start + len(part), part)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of memories about the same subject.

    - `cosines`: those of pairs that are near each other.
    - `changes`: the pairs that cannot both be current, according to the cross-encoder.
    - `settled`: the pairs of which the owner has said that both are true.
    """

    cosines: Mapping[Pair, float] = field(default_factory=dict)
    changes: Set[Pair] = frozenset()
    settled: Set[Pair] = frozenset()


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that was found.

    - `cosine`: cosine to the question, 0–1; None if it is unknown.
    - `ranked`: the candidate that it was, with its signals.
    - `conflicts_with`: the ids of other matches that cannot be current at the same time as this one.
    - `superseded_by`: the id of the latest match that corrects this one.
    - `passage`: the window of a long text that is nearest to the question.
    - `relevance`: the estimated probability that it answers the question, 0–1.
    - `superseded_later_by`: the id of a match that will be true in place of this one, from its `valid_from` on.
    """

    memory: Memory
    cosine: float | None
    ranked: Ranked
    conflicts_with: Sequence[int] = ()
    superseded_by: int | None = None
    passage: Passage | None = None
    relevance: float = 0.0
    superseded_later_by: int | None = None

    def with_relevance(self, relevance: float) -> Match:
        """Return the match with an estimated relevance. `dataclasses.replace` would take five times as long."""
        return Match(
            self.memory,
            self.cosine,
            self.ranked,
            self.conflicts_with,
            self.superseded_by,
            self.passage,
            relevance,
            self.superseded_later_by,
        )

    @property
    def score(self) -> float:
        """The cosine; 0 if it is unknown."""
        return self.cosine or 0.0

    @property
    def rank(self) -> float:
        """The sum of `parts`. A higher rank is more relevant."""
        return self.ranked.rank

    @property
    def parts(self) -> dict[str, float]:
        """The contributions of the signals to its rank. Computed each time: few of the loaded matches are shown."""
        return self.ranked.parts

    @property
    def found_text(self) -> str:
        """The text that was found: the passage of a long memory, or the whole text."""
        return self.memory.text if self.passage is None else self.passage.text


def further_columns(wanted: int) -> FurtherColumns:
    """Return what reads the first `wanted` memories in the statement of a search by meaning, for `load_matches`."""
    sql = " ".join(FOUND_BY_SEARCH.split()).replace("{columns}", MEMORY_COLUMNS).replace("{changes}", _CHANGES_SQL)
    sql = sql.replace("{settled}", _SETTLED_SQL.format(ids="ARRAY(SELECT memory_id FROM best)"))
    return FurtherColumns(sql, {"wanted": wanted, "related": MIN_RELATED_COSINE})


def load_matches(
    view: View,
    ranked: Sequence[Ranked],
    space_id: int | None,
    vector: Vector | None,
    *,
    tombstones: bool = False,
    read: Sequence[Row] | None = None,
) -> tuple[list[Match], Pairs]:
    """Load the ranked memories in their order, with passages and cosines where vectors are known, and related pairs.

    `vector` is that of the question, in the space `space_id`; both are None without an embedder. The cosine of long
    memories is that of their passages. Memories that have left the view in the meantime are left out, and so are
    forgotten ones, unless `tombstones` are wanted. `read` are the rows that `further_columns` has read. If they
    suffice, no query is needed, otherwise one.
    """
    if not ranked:
        return [], Pairs()
    wanted = {item.candidate.item_id for item in ranked}
    # The first column is the id.
    rows = [row for row in {row[0]: row for row in read or ()}.values() if row[0] in wanted]
    if len(rows) < len(wanted):
        rows = _fetch(view, wanted, space_id, vector, _NOT_FORGOTTEN if not tombstones else "")
    found: dict[int, tuple[Memory, Passage | None]] = {}
    cosines: dict[Pair, float] = {}
    changes: set[Pair] = set()
    settled = _pairs_in(next((row[-1] for row in rows if row[-1]), ()))
    for memory, passage, related, changed in map(_read, rows):
        found[memory.id] = memory, passage
        pk = memory.id
        for other, cosine in related:
            cosines[pk, other] = cosine
        for other in changed:
            changes.add(pair_of(pk, other))
    matches = [
        Match(memory, _at_most_one(item.candidate.cosine), item, passage=passage)
        for item in ranked
        if item.candidate.item_id in found
        for memory, passage in [found[item.candidate.item_id]]
    ]
    return matches, Pairs(cosines, changes, settled)


def _pairs_in(ids: Sequence[int]) -> set[Pair]:
    """Return the pairs of which the ids are given one after the other."""
    return {pair_of(*pair) for pair in zip(ids[::2], ids[1::2], strict=True)}


def _fetch(view: View, ids: Iterable[int], space_id: int | None, vector: Vector | None, state: str) -> list[Row]:
    parameters = {
        "ids": list(ids),
        "space": space_id,
        "vector": None if vector is None else as_halfvec(vector),
        "related": MIN_RELATED_COSINE,
        "owner": view.owner_id,
        "only_tags": list(view.only_tags),
    }
    # Building the query with the ORM each time would take a tenth of the time of a recall.
    settled = _SETTLED_SQL.format(ids="%(ids)s::bigint[]")
    parts = {"changes": _CHANGES_SQL, "settled": settled, "state": state, "restriction": view.restriction}
    return fetch_rows(_FOUND.format(columns=MEMORY_COLUMNS, **parts), parameters)


def _at_most_one(cosine: float | None) -> float | None:
    """Return `cosine` without the excess over 1 that rounding causes."""
    return None if cosine is None else min(cosine, 1.0)


def _read(row: Row) -> tuple[Memory, Passage | None, Iterable[tuple[int, float]], Sequence[int]]:
    *values, start, end, ids, cosines, changes, _ = row
    memory = memory_from(values)
    passage = None if start is None else Passage.trimmed(memory.text, start, end)
    return memory, passage, zip(ids, cosines, strict=True), changes or ()
