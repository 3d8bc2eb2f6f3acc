"""Recall: the memories that matter for a question, most relevant first."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.conf import settings

from memories.database import fetch_rows
from memories.drafts import checked_time
from memories.embeddings import get_embedder
from memories.embeddings.base import Vector
from memories.errors import EmbeddingError, InvalidInput, LimitExceeded
from memories.models import Memory
from memories.nearest import IN_FORCE, Selection, nearest_memories
from memories.ranking import Evidence, by_words, fuse
from memories.spaces import as_halfvec, current_space_id
from memories.tags import canonical_tags
from memories.text import check_storable
from memories.view import View

logger = logging.getLogger(__name__)

POOL_FACTOR = 3
"""How many candidates each side gives for every match that is asked for."""

POOL_MINIMUM = 50


class Mode(StrEnum):
    """Which side finds candidates."""

    HYBRID = "hybrid"
    SEMANTIC = "semantic"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Query:
    """A question and its filters. `limit` None is the default; `tags`: any of them; `min_score` is a cosine 0–1;
    `since` ≤ created < `until`; `capture_mode`: None for both; `argument`: what the caller calls the text."""

    text: str
    limit: int | None = None
    min_score: float = 0.0
    tags: Sequence[str] = ()
    mode: Mode = Mode.HYBRID
    since: datetime | None = None
    until: datetime | None = None
    capture_mode: Memory.CaptureMode | None = None
    argument: str = "query"


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that was found; `score` is its cosine similarity to the question, 0–1."""

    memory: Memory
    score: float


@dataclass(frozen=True, slots=True)
class Recalled:
    """The matches, most relevant first; `only_keywords` when the embedder failed and words alone were searched."""

    matches: list[Match]
    only_keywords: bool = False


# Few memories are out of force: it is cheaper to know those, by an index of their own, than all the others.
OUT_OF_FORCE = """
    SELECT id FROM memories_memory
    WHERE owner_id = %(owner)s AND (deleted_at IS NOT NULL OR expires_at IS NOT NULL OR quarantined_from IS NOT NULL)
      AND (deleted_at IS NOT NULL OR expires_at <= now() OR quarantined_from IS NOT NULL)
"""
FILTERS = {
    "tags": "tags && %(tags)s::text[]",
    "since": "created_at >= %(since)s::timestamptz",
    "until": "created_at < %(until)s::timestamptz",
    "capture_mode": "capture_mode = %(capture_mode)s::text",
}
FILTERED_OUT = """
    SELECT id FROM memories_memory WHERE owner_id = %(owner)s AND NOT ({conditions} {restriction})
"""
# "(… IN …) IS NOT TRUE" is looked up in a hash table, whatever the planner believes about the number of rows: a join
# could become a nested loop over thousands of rows as long as the table's statistics are old.
CANDIDATES = """
WITH question AS MATERIALIZED (
    SELECT %(vector)s::halfvec AS vector,
           replace(plainto_tsquery('english', %(words)s)::text, ''' & ''', ''' | ''')::tsquery AS words
), hidden AS MATERIALIZED (
    {hidden}
), nearest AS (
    SELECT id, similarity FROM unnest(%(near_ids)s::bigint[], %(similarities)s::float8[]) AS near(id, similarity)
), worded AS (
    SELECT id, ts_rank(lexemes, question.words) AS keyword_rank
    FROM memories_memory, question
    WHERE owner_id = %(owner)s AND lexemes @@ question.words
      AND (id IN (SELECT id FROM hidden)) IS NOT TRUE
    ORDER BY keyword_rank DESC LIMIT %(pool)s
), found AS (
    SELECT id, similarity, 0 AS keyword_rank FROM nearest
    UNION ALL
    SELECT id, similarity, keyword_rank FROM worded, question CROSS JOIN LATERAL (
        SELECT max(1 - (embedding <=> question.vector)) AS similarity
        FROM memories_memoryvector
        WHERE space_id = %(space)s::bigint AND memory_id = worded.id
        OFFSET 0
    ) AS meaning
)
SELECT id, greatest(coalesce(max(similarity), 0), 0), max(keyword_rank) FROM found GROUP BY id
"""


def recall(view: View, query: Query) -> Recalled:
    """Answer `query` from the live memories of a view.

    Three queries, without words or without meaning two; more for tags and as `nearest_memories` says. Raises
    InvalidInput or LimitExceeded; EmbeddingError in semantic mode only: in hybrid mode words alone are searched when
    the embedder fails.
    """
    limit = _checked(query)
    tags = canonical_tags(view, query.tags)
    if query.tags and not tags:
        return Recalled([])
    vector = _question_vector(query)
    in_order = by_words if query.mode is Mode.KEYWORD else fuse
    evidence = in_order(_candidates(view, query, tags, vector, max(POOL_MINIMUM, POOL_FACTOR * limit)))
    chosen = [item for item in evidence if item.similarity >= query.min_score][:limit]
    memories = Memory.objects.visible_to(view).in_bulk([item.memory_id for item in chosen])
    matches = [
        Match(memories[item.memory_id], min(item.similarity, 1.0)) for item in chosen if item.memory_id in memories
    ]
    return Recalled(matches, only_keywords=vector is None and query.mode is Mode.HYBRID)


def _checked(query: Query) -> int:
    """The limit in force; refuses what cannot be answered."""
    check_storable(query.argument, query.text)
    if not query.text.strip():
        raise InvalidInput(f"{query.argument}: is empty. Say what to look for.")
    if len(query.text) > settings.MAX_TEXT_CHARS:
        raise LimitExceeded(
            f"{query.argument}: has {len(query.text)} characters; at most {settings.MAX_TEXT_CHARS} are allowed."
        )
    if not 0.0 <= query.min_score <= 1.0:
        raise InvalidInput(f"min_score: {query.min_score} is not a number from 0 to 1.")
    since, until = checked_time("since", query.since), checked_time("until", query.until)
    if since and until and since >= until:
        raise InvalidInput("since: must be earlier than until.")
    return checked_recall_limit(query.limit)


def checked_recall_limit(limit: int | None) -> int:
    """`limit`, or the default for None. Raises InvalidInput or LimitExceeded."""
    if limit is None:
        return settings.DEFAULT_RECALL_LIMIT
    if limit < 1:
        raise InvalidInput(f"limit: {limit} is not a number from 1 to {settings.MAX_RECALL_LIMIT}.")
    if limit > settings.MAX_RECALL_LIMIT:
        raise LimitExceeded(f"limit: {limit} is more than {settings.MAX_RECALL_LIMIT}, the most that may be asked for.")
    return limit


def _question_vector(query: Query) -> Vector | None:
    try:
        return get_embedder().embed_query(query.text)
    except EmbeddingError as error:
        if query.mode is Mode.SEMANTIC:
            raise
        logger.warning("Recall by words alone: %s", error)
        return None


def _candidates(view: View, query: Query, tags: Sequence[str], vector: Vector | None, pool: int) -> list[Evidence]:
    selection = _selection(view, query, tags)
    near = [] if vector is None or query.mode is Mode.KEYWORD else nearest_memories(selection, vector, pool)
    if query.mode is Mode.SEMANTIC:
        return [Evidence(memory_id, max(similarity, 0.0), 0.0) for memory_id, similarity in near]
    is_filtered = selection.is_narrow or not view.is_whole
    rows = fetch_rows(
        CANDIDATES.format(hidden=selection.fill(FILTERED_OUT) if is_filtered else OUT_OF_FORCE),
        {
            **selection.all_parameters,
            "space": None if vector is None else current_space_id(),
            "vector": None if vector is None else as_halfvec(vector),
            "words": query.text,
            "near_ids": [memory_id for memory_id, _ in near],
            "similarities": [similarity for _, similarity in near],
            "pool": pool,
        },
    )
    return [Evidence(*row) for row in rows]


def _selection(view: View, query: Query, tags: Sequence[str]) -> Selection:
    """What may be found at all. Conditions that are not asked for are left out: they would mislead the planner."""
    asked: dict[str, object] = {
        "tags": list(tags), "since": query.since, "until": query.until, "capture_mode": query.capture_mode
    }  # fmt: skip
    given = {name: value for name, value in asked.items() if value}
    conditions = " AND ".join([IN_FORCE, *(FILTERS[name] for name in given)])
    return Selection(view, conditions, given, is_narrow=bool(given))
