"""The recall pipeline: from a question to the memories that answer it, most relevant first."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.conf import settings
from django.utils import timezone

from memories.access import View
from memories.drafts import checked_time
from memories.embeddings.base import Vector
from memories.embeddings.interactive import interactive_embedding
from memories.errors import EmbeddingError, InvalidInput, LimitExceeded
from memories.models import Memory
from memories.recall.candidates import EmbeddedQuestion, find_by_meaning, find_by_meaning_and_words, find_by_words
from memories.recall.filters import RecallFilters
from memories.recall.keywords import QuestionTerms, load_question_terms
from memories.recall.matches import Match, load_matches, prefer_latest_confirmed
from memories.recall.ranking import Ranked, rank
from memories.recall.signals import HYBRID, KEYWORD, SEMANTIC, Candidate
from memories.recall.times import period_in
from memories.tags import canonical_tags
from memories.validation.text import check_storable
from memories.vectors.spaces import space_in_use

logger = logging.getLogger(__name__)

POOL_FACTOR = 3
"""Number of candidates that each retriever, keywords or vectors, returns per requested match."""

POOL_MINIMUM = 60
"""Smallest number of candidates per retriever. In `benchmarks/recall_quality.py`, 50 lose nothing, 40 a little."""

READ_CHARS = 2_000
"""Number of characters of a question that are used: a bound on the cost. What a question asks rarely comes later."""

NEAR_MISSES = 5
"""Number of candidates that were not returned, but are reported in the outcome."""


class Mode(StrEnum):
    """The choice of retrievers, which find candidates by meaning, by keywords, or both."""

    HYBRID = "hybrid"
    SEMANTIC = "semantic"
    KEYWORD = "keyword"


FINDERS = {Mode.HYBRID: find_by_meaning_and_words, Mode.SEMANTIC: find_by_meaning, Mode.KEYWORD: find_by_words}
WEIGHTS = {Mode.HYBRID: HYBRID, Mode.SEMANTIC: SEMANTIC, Mode.KEYWORD: KEYWORD}


@dataclass(frozen=True, slots=True)
class Query:
    """A question and its filters.

    - `limit`: None for the default.
    - `min_score`: least cosine, 0–1. It leaves out no memory whose words match while its cosine is unknown.
    - `tags`: any of them.
    - `since`, `until`: `since` ≤ created < `until`.
    - `capture_mode`: None for both.
    - `asked_at`: the time that phrases such as "last week" in the text refer to; None for now.
    - `argument`: the caller's name of the text, for error messages.
    """

    text: str
    limit: int | None = None
    min_score: float = 0.0
    tags: Sequence[str] = ()
    mode: Mode = Mode.HYBRID
    since: datetime | None = None
    until: datetime | None = None
    capture_mode: Memory.CaptureMode | None = None
    asked_at: datetime | None = None
    argument: str = "query"

    @property
    def read_text(self) -> str:
        """The beginning of the text, the only part that is searched: for its vector, words, names and times."""
        return self.text.strip()[:READ_CHARS]


@dataclass(frozen=True, slots=True)
class RecallOutcome:
    """The matches of a recall, most relevant first.

    - `only_keywords`: the embedder failed, so keywords alone were searched, without applying `min_score`.
    - `near_misses`: the first candidates that the limit or `min_score` left out.
    - `tags`: the canonical tags that were searched.
    """

    matches: list[Match]
    only_keywords: bool = False
    near_misses: Sequence[Ranked] = ()
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class GatheredCandidates:
    """The candidates of a query, each with its signals.

    - `tags`: the canonical tags that were searched.
    - `vector`, `space_id`: the vector of the full question, and its space.
    - `without_embedder`: the embedder failed, so no cosine is known.
    """

    candidates: list[Candidate]
    tags: Sequence[str] = ()
    space_id: int | None = None
    vector: Vector | None = None
    without_embedder: bool = False


def recall(view: View, query: Query) -> RecallOutcome:
    """Return the active memories of a view that answer `query`.

    Takes four queries in hybrid mode, three in keyword mode, two in semantic mode; more for tags and as
    `nearest_memories` says. Raises InvalidInput or LimitExceeded. Raises EmbeddingError in semantic mode only: in
    hybrid mode, keywords alone are searched when the embedder fails.
    """
    gathered = gather_candidates(view, query)
    now = query.asked_at or timezone.now()
    weights = WEIGHTS[query.mode]
    ranked = rank(gathered.candidates, weights, now, period_in(query.read_text, now) if "time" in weights else None)
    found, missed = _split_near_misses(ranked, query)
    matches = load_matches(view, found, gathered.space_id, gathered.vector)
    ordered = prefer_latest_confirmed(matches) if query.mode is Mode.HYBRID else matches
    return RecallOutcome(ordered, gathered.without_embedder, missed, gathered.tags)


def _split_near_misses(ranked: Iterable[Ranked], query: Query) -> tuple[list[Ranked], list[Ranked]]:
    """Split `ranked` into the returned candidates and the first of the others."""
    limit = checked_recall_limit(query.limit)
    found: list[Ranked] = []
    missed: list[Ranked] = []
    for item in ranked:
        if len(found) < limit and item.candidate.reaches(query.min_score):
            found.append(item)
        elif len(missed) < NEAR_MISSES:
            missed.append(item)
    return found, missed


def gather_candidates(view: View, query: Query) -> GatheredCandidates:
    """Return each memory that may answer `query` with its signals, in no order. Raises the errors of `recall`."""
    limit = _checked_limit(query)
    tags = canonical_tags(view, query.tags)
    if query.tags and not tags:
        return GatheredCandidates([])
    words = (
        QuestionTerms() if query.mode is Mode.SEMANTIC else load_question_terms(RecallFilters(view), query.read_text)
    )
    question = _question(query, words)
    filters = RecallFilters(view, tags, query.since, query.until, query.capture_mode)
    candidates = FINDERS[query.mode](filters, question, _pool(query.mode, limit))
    return GatheredCandidates(
        candidates, tags, question.space_id, question.full_vector, without_embedder=question.space_id is None
    )


def _pool(mode: Mode, limit: int) -> int:
    """Return the number of candidates per retriever."""
    if mode is Mode.SEMANTIC:
        # The cosine is the only signal: the nearest memories are the matches.
        return limit + NEAR_MISSES
    return max(POOL_MINIMUM, POOL_FACTOR * limit)


def _checked_limit(query: Query) -> int:
    """Validate `query` and return its effective limit. Raises InvalidInput or LimitExceeded."""
    check_storable(query.argument, query.text)
    if not query.text.strip():
        raise InvalidInput("must not be empty.", argument=query.argument)
    if len(query.text) > settings.MAX_TEXT_CHARS:
        raise LimitExceeded(
            f"has {len(query.text)} characters; at most {settings.MAX_TEXT_CHARS} are allowed.", argument=query.argument
        )
    if not 0.0 <= query.min_score <= 1.0:
        raise InvalidInput("must be a number from 0 to 1.", argument="min_score")
    since, until = checked_time("since", query.since), checked_time("until", query.until)
    if since and until and since >= until:
        raise InvalidInput("must be earlier than until.", argument="since")
    return checked_recall_limit(query.limit)


def checked_recall_limit(limit: int | None) -> int:
    """Return `limit`, or the default for None. Raises InvalidInput or LimitExceeded."""
    if limit is None:
        return settings.DEFAULT_RECALL_LIMIT
    if limit < 1:
        raise InvalidInput(f"must be a number from 1 to {settings.MAX_RECALL_LIMIT}.", argument="limit")
    if limit > settings.MAX_RECALL_LIMIT:
        raise LimitExceeded(f"must be at most {settings.MAX_RECALL_LIMIT}.", argument="limit")
    return limit


def _question(query: Query, words: QuestionTerms) -> EmbeddedQuestion:
    """Return the question with its vectors: that of the full text, and that of the text without names."""
    text = query.read_text
    rest = words.without_names(text)
    try:
        space = space_in_use()
        with interactive_embedding():
            vectors = space.embedder.embed_queries([text] if rest == text else [text, rest])
    except EmbeddingError as error:
        if query.mode is Mode.SEMANTIC:
            raise
        logger.warning("Recall uses keywords only: %s", error)
        return EmbeddedQuestion(words, None, None, None)
    return EmbeddedQuestion(words, space.pk, vectors[0], vectors[-1])
