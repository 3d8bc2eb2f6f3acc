"""Retrieval of the memories that may answer a question, with their signals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from memories.aspects.asked import AskedAspect
from memories.corpus import Corpus
from memories.database import fetch_as, fetch_rows
from memories.embeddings.base import Vector
from memories.recall.asked_aspects import ids_of_aspect
from memories.recall.filters import RecallFilters
from memories.recall.keywords import MAX_POSTINGS, QuestionTerms
from memories.recall.signals import Candidate
from memories.vectors.nearest import FurtherColumns, NearItem, nearest_items
from memories.vectors.spaces import as_halfvec

BM25_K1 = 1.2
BM25_B = 0.3
BM25_LENGTH = 20.0
"""Assumed average length of a text in words. With such a small `b`, the real average would change nothing."""

BM25_MAX_LENGTH = 40
"""Maximum length in words. Longer texts count as this long: a word is no less rare because the text says more."""

MAX_NAMING_DAYS = 20
"""Number of memories that are found only because they name a day that the question asks about: the newest."""

OWNER_NAME_DISCOUNT = 0.15
"""Similarity of a question and a memory that comes only from the owner's name in both."""

MAX_NEIGHBOUR_SOURCES = 30
"""Number of best candidates that raise the rank of the memories just before and after them in their session."""

# Cosines of a memory's best window: `similarity` to the question without names, for ranking, and `cosine` to the full
# question. If the question names the owner, `similarity` is the higher one of both, the latter with a discount.
# `cosine` is NULL while the memory has no vector.
_MEANING = """
    SELECT greatest(max(-(embedding <#> nameless)), max(-(embedding <#> entire)) - %(discount)s, 0) AS similarity,
           max(greatest(-(embedding <#> entire), 0)) AS cosine
    FROM {corpus.vectors}
    WHERE space_id = %(space)s::bigint AND {corpus.item_id} = {item}
    OFFSET 0
"""
_BASE, _PER_WORD = round(BM25_K1 * (1 - BM25_B), 9), round(BM25_K1 * BM25_B / BM25_LENGTH, 9)
BM25 = f"idf * tf * {BM25_K1 + 1} / (tf + {_BASE} + {_PER_WORD} * least(length, {BM25_MAX_LENGTH})::float8)"

# OFFSET 0 keeps the planner from merging a lookup into a join, whatever number of rows it estimates.
_CANDIDATES = """
WITH question AS (
    SELECT %(nameless)s::halfvec AS nameless, %(entire)s::halfvec AS entire
), hidden AS (
    {hidden}
), worded AS MATERIALIZED (
    SELECT {corpus.item_id} AS id, sum({bm25}) AS words
    FROM unnest(%(rare)s::text[], %(rare_idfs)s::float8[]) AS asked(term, idf), LATERAL (
        SELECT {corpus.item_id}, tf, length FROM {corpus.postings}
        WHERE owner_id = %(owner)s AND term = asked.term AND ({corpus.item_id} IN (SELECT id FROM hidden)) IS NOT TRUE
        ORDER BY {corpus.item_id} DESC LIMIT %(most)s
    ) AS posting
    GROUP BY {corpus.item_id}
), scored AS MATERIALIZED (
    SELECT id, coalesce(worded.words, 0) + common.words AS words
    FROM (
        SELECT unnest(%(nearest)s::bigint[]) AS id
        UNION (SELECT id FROM worded ORDER BY words DESC, id DESC LIMIT %(pool)s)
    ) AS either
    LEFT JOIN worded USING (id), LATERAL (
        SELECT coalesce(sum({bm25}), 0) AS words
        FROM unnest(%(common)s::text[], %(common_idfs)s::float8[]) AS asked(term, idf), LATERAL (
            SELECT tf, length FROM {corpus.postings}
            WHERE owner_id = %(owner)s AND term = asked.term AND {corpus.item_id} = either.id
            OFFSET 0
        ) AS posting
    ) AS common
), picked AS MATERIALIZED (
    SELECT id, similarity, cosine, words / greatest(max(words) OVER (), %(expected)s, 1e-9) AS words
    FROM scored, question, LATERAL ({meaning_of_scored}) AS meaning
), giver AS (
    SELECT picked.id, together, similarity + words / 2 AS proof
    FROM picked, LATERAL (
        SELECT {corpus.group} AS together FROM {corpus.items}
        WHERE id = picked.id AND {corpus.group} IS NOT NULL OFFSET 0
    ) AS item
    ORDER BY proof DESC LIMIT %(givers)s
), beside AS MATERIALIZED (
    SELECT near.id, max(proof) AS proof
    FROM giver, LATERAL (
        (SELECT id FROM {corpus.items}
         WHERE owner_id = %(owner)s AND {corpus.group} = giver.together AND id < giver.id
           AND (id IN (SELECT id FROM hidden)) IS NOT TRUE
         ORDER BY id DESC LIMIT 1)
        UNION ALL
        (SELECT id FROM {corpus.items}
         WHERE owner_id = %(owner)s AND {corpus.group} = giver.together AND id > giver.id
           AND (id IN (SELECT id FROM hidden)) IS NOT TRUE
         ORDER BY id LIMIT 1)
    ) AS near
    GROUP BY near.id
), found AS (
    SELECT id, similarity, cosine, words FROM picked
    UNION ALL
    SELECT id, meaning.similarity, meaning.cosine, 0
    FROM beside CROSS JOIN question CROSS JOIN LATERAL ({meaning_of_beside}) AS meaning
    WHERE id NOT IN (SELECT id FROM picked)
)
SELECT id AS item_id, cosine, similarity, words,
       (SELECT coalesce(max(weight), 0)
        FROM unnest(%(name_terms)s::text[], %(name_weights)s::float8[]) AS name(term, weight), LATERAL (
            SELECT FROM {corpus.postings}
            WHERE owner_id = %(owner)s AND term = name.term AND {corpus.item_id} = found.id
            OFFSET 0
        ) AS posting) AS named,
       coalesce(beside.proof, 0) AS beside,
       CASE WHEN together IS NULL THEN similarity
            ELSE max(similarity + words / 2) OVER (PARTITION BY together) END AS session,
       stated, importance, size, date_part('epoch', last_confirmed_at) AS last_confirmed_at,
       date_part('epoch', created_at) AS created_at,
       date_part('epoch', valid_until) AS valid_until,
       {names_day} AS is_named_day
FROM found LEFT JOIN beside USING (id) CROSS JOIN LATERAL (
    SELECT {corpus.group} AS together, {corpus.signals}
    FROM {corpus.items} WHERE id = found.id OFFSET 0
) AS item
"""
# What is said of a year does not answer what is on at one of its days.
_NAMES_DAY = (
    "EXISTS(SELECT FROM unnest(named_days)r WHERE r && %(days)s::datemultirange AND upper(r) - lower(r) <= %(longest)s)"
)
# OFFSET 0 makes the planner use the index of the days, rather than read the newest memories until it has enough.
NAMING_DAYS = """
SELECT id FROM (
    SELECT id FROM {corpus.items}
    WHERE owner_id = %(owner)s AND named_days && %(days)s::datemultirange AND NAMES_DAY AND {conditions} {restriction}
    OFFSET 0
) AS naming ORDER BY id DESC LIMIT %(most)s
""".replace("NAMES_DAY", _NAMES_DAY)


@cache
def candidates_sql(corpus: Corpus, hidden: str) -> str:
    """Return the statement that finds candidates, without those that `hidden` selects."""
    # psycopg caches the parsed form of statements of up to 4,096 characters only: hence no superfluous white space.
    candidates, meaning = (" ".join(corpus.in_sql(sql).split()) for sql in (_CANDIDATES, _MEANING))
    return candidates.format(
        hidden=hidden,
        bm25=BM25,
        names_day=_NAMES_DAY,
        meaning_of_scored=meaning.format(item="scored.id"),
        meaning_of_beside=meaning.format(item="beside.id"),
    )


@dataclass(frozen=True, slots=True)
class EmbeddedQuestion:
    """A question in the forms that items are compared with.

    `full_vector` is that of the full question, `nameless_vector` that of the question without names. Both belong to one
    space. Vectors and space are None without an embedder. `is_calibrated`: the scale of the cosines is known. `days`
    are those that the question may ask about, as `days_literal` writes them. A memory names one of them if this is in a
    period of at most `longest` days. With `are_few`, memories are also found by them. `further` is read by the search
    if meaning alone decides. `names_owner`: the question names the owner, who is "I" in the text of `nameless_vector`.
    `aspect` is the aspect of the owner that it asks about, if any.
    """

    words: QuestionTerms
    space_id: int | None
    full_vector: Vector | None
    nameless_vector: Vector | None
    is_calibrated: bool = False
    days: str | None = None
    longest: int = 0
    are_few: bool = False
    further: FurtherColumns | None = None
    names_owner: bool = False
    aspect: AskedAspect | None = None

    def nearest(
        self, filters: RecallFilters, vector: Vector | None, count: int, further: FurtherColumns | None = None
    ) -> list[NearItem]:
        """Return the items nearest to `vector`, which is one of the question's; none without an embedder."""
        if self.space_id is None or vector is None:
            return []
        return nearest_items(filters.selection, self.space_id, vector, count, further)


def find_by_meaning(filters: RecallFilters, question: EmbeddedQuestion, count: int) -> list[Candidate]:
    """Return the `count` nearest items. Queries: see `nearest_items`."""
    nearest = question.nearest(filters, question.full_vector, count, question.further)
    return [Candidate(near.item_id, max(near.similarity, 0.0), max(near.similarity, 0.0)) for near in nearest]


def find_by_words(filters: RecallFilters, question: EmbeddedQuestion, count: int) -> list[Candidate]:
    """Return the `count` items whose words match best. One query."""
    return _fetch_candidates(filters, question, count, nearest=[], givers=0)


def find_by_meaning_and_words(filters: RecallFilters, question: EmbeddedQuestion, count: int) -> list[Candidate]:
    """Return the best `count` by meaning, the best `count` by words, and their neighbours in a session.

    For a question that asks about few days also the newest that name one of them, and for one about an aspect of the
    owner those that tell it. One query more than `find_by_meaning`, and one for each of both.
    """
    nearest = [near.item_id for near in question.nearest(filters, question.nameless_vector, count)]
    nearest += _naming_days(filters, question)
    telling = ids_of_aspect(filters, question.aspect, question.words.owner_names) if question.aspect else []
    candidates = _fetch_candidates(filters, question, count, nearest + telling, MAX_NEIGHBOUR_SOURCES)
    return _with_aspect(candidates, frozenset(telling)) if telling else candidates


def _with_aspect(candidates: list[Candidate], telling: frozenset[int]) -> list[Candidate]:
    return [each._replace(aspect=1.0) if each.item_id in telling else each for each in candidates]


def _naming_days(filters: RecallFilters, question: EmbeddedQuestion) -> list[int]:
    """Return the ids of the newest memories that name a day which the question asks about."""
    if question.days is None or not question.are_few:
        return []
    selection = filters.selection
    parameters = {**selection.all_parameters, "days": question.days, "longest": question.longest}
    parameters["most"] = MAX_NAMING_DAYS
    return [row[0] for row in fetch_rows(selection.format_sql(NAMING_DAYS), parameters)]


def _fetch_candidates(
    filters: RecallFilters, question: EmbeddedQuestion, count: int, nearest: list[int], givers: int
) -> list[Candidate]:
    words = question.words
    parameters: dict[str, object] = {
        "space": question.space_id,
        "nameless": None if question.nameless_vector is None else as_halfvec(question.nameless_vector),
        "entire": None if question.full_vector is None else as_halfvec(question.full_vector),
        "nearest": nearest,
        "rare": list(words.rare),
        "rare_idfs": list(words.rare.values()),
        "common": list(words.common),
        "common_idfs": list(words.common.values()),
        "discount": OWNER_NAME_DISCOUNT if question.names_owner else math.inf,
        "days": question.days,
        "longest": question.longest,
        "expected": words.expected,
        "name_terms": list(words.name_weights),
        "name_weights": list(words.name_weights.values()),
        "pool": count,
        "givers": givers,
        "most": MAX_POSTINGS,
    }
    sql = candidates_sql(filters.corpus, filters.hidden)
    return fetch_as(Candidate, sql, {**filters.selection.all_parameters, **parameters})
