"""The recall pipeline: from a question to the memories that answer it, most relevant first."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext

from memories.access import View
from memories.aspects.asked import asked_aspect
from memories.corpus import MEMORIES, Corpus
from memories.drafts import checked_time
from memories.embeddings.base import SHIPPED_MODELS, Vector
from memories.embeddings.combined.question_language import question_language
from memories.embeddings.interactive import interactive_embedding
from memories.errors import EmbeddingError, EmbeddingRefused, InvalidInput, LimitExceeded
from memories.models.days import days_literal
from memories.recall import relevance
from memories.recall.answers import prefer_answers
from memories.recall.asked_aspects import LEAST_RELEVANCE, tells
from memories.recall.candidates import EmbeddedQuestion, find_by_meaning, find_by_meaning_and_words, find_by_words
from memories.recall.corrections import CONSIDERED_MATCHES, put_current_first
from memories.recall.dated import Dated, naming_days
from memories.recall.filters import Keeper, RecallFilters
from memories.recall.keywords import QuestionTerms, load_question_terms
from memories.recall.matches import Match, further_columns, load_matches
from memories.recall.owner_words import about_the_user, in_first_person
from memories.recall.ranking import Ranked, rank
from memories.recall.relevance import Calibration, Estimate, Precision, estimate
from memories.recall.signals import HYBRID, KEYWORD, SEMANTIC, Candidate
from memories.tags import canonical_tags
from memories.times.periods import Period
from memories.times.time_questions import (
    asked_next,
    asked_periods,
    asks_for_plans,
    asks_only_for_time,
    longest_named,
)
from memories.validation.text import check_storable, has_words
from memories.vectors.nearest import FurtherColumns
from memories.vectors.spaces import space_in_use

logger = logging.getLogger(__name__)

POOL_FACTOR = 3
"""Number of candidates that each retriever, keywords or vectors, returns per requested match."""

POOL_MINIMUM = 60
"""Smallest number of candidates per retriever. In `benchmarks/recall_quality.py`, 50 lose nothing, 40 a little."""

READ_CHARS = 2_000
"""Number of characters of a question that are used: a bound on the cost. What a question asks rarely comes later."""

FEW_DAYS, SEASON_DAYS = timedelta(days=31), timedelta(days=92)
"""Longest period for which memories are candidates only because they name one of its days; the latter if the question
asks about nothing else."""

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
    - `min_score`: least cosine, 0–1. A memory with an unknown cosine is kept if its words match.
    - `tags`: any of them.
    - `since`, `until`: `since` ≤ created < `until`.
    - `keeper`: None for both.
    - `agent`: only memories that belong to the agent of this name; None for no restriction.
    - `precision`: the least relevance of matches.
    - `as_of`: recall what was true at that time, replaced memories included; None for what is true now.
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
    keeper: Keeper | None = None
    agent: str | None = None
    precision: Precision = Precision.ALL
    as_of: datetime | None = None
    asked_at: datetime | None = None
    argument: str = "query"

    @property
    def read_text(self) -> str:
        """The beginning of the text, the only part that is searched: for its vector, words, names and times."""
        return self.text.strip()[:READ_CHARS]

    @property
    def moment(self) -> datetime:
        """The time at which memories are current: `as_of`, or when the question was asked."""
        return self.as_of or self.asked_at or timezone.now()


@dataclass(frozen=True, slots=True)
class RecallOutcome:
    """The matches of a recall, most relevant first.

    - `confidence`: the estimated probability that the question is answered by any memory, 0–1.
    - `only_keywords`: the embedder failed, so keywords alone were searched, without applying `min_score`.
    - `near_misses`: the first candidates that the limit or `min_score` left out.
    - `tags`: the canonical tags that were searched.
    - `is_calibrated`: the estimates were fitted to the model. With others, they are rough.
    """

    matches: list[Match]
    confidence: float = 0.0
    only_keywords: bool = False
    near_misses: Sequence[Ranked] = ()
    tags: Sequence[str] = ()
    is_calibrated: bool = False


@dataclass(frozen=True, slots=True)
class GatheredCandidates:
    """The candidates of a query, each with its signals.

    - `tags`: the canonical tags that were searched.
    - `words`: the terms of the question.
    - `vector`, `space_id`: the vector of the full question, and its space.
    - `is_calibrated`: the scale of the cosines is that of the shipped models.
    - `without_embedder`: the embedder failed, so no cosine is known.
    - `period`: the past period that the question refers to, if any.
    - `only_asked`: the periods of a few days that the question asks about, if it asks about nothing else.
    - `planned`: such periods if it asks what is to come then, and about something else, too.
    """

    candidates: list[Candidate]
    tags: Sequence[str] = ()
    words: QuestionTerms = field(default_factory=QuestionTerms)
    space_id: int | None = None
    vector: Vector | None = None
    is_calibrated: bool = False
    without_embedder: bool = False
    period: Period | None = None
    only_asked: Sequence[Period] = ()
    planned: Sequence[Period] = ()

    def calibration(self, mode: Mode, considered: Sequence[Ranked]) -> Calibration:
        """Return the calibration of the estimates. With another model, words are better evidence."""
        if mode is Mode.SEMANTIC:
            return relevance.SEMANTIC
        if mode is Mode.KEYWORD or not self.is_calibrated:
            return relevance.KEYWORD
        return relevance.READ if any(item.candidate.answers for item in considered) else relevance.HYBRID

    def is_fitted(self, query: Query) -> bool:
        """Return whether the weights were fitted to questions like this: in English, in hybrid mode, with a shipped
        model.

        In other languages, cosines and words are lower.
        """
        return self.is_calibrated and query.mode is Mode.HYBRID and question_language(query.read_text) != "other"

    def precision(self, query: Query) -> Precision:
        """Return the precision asked for. Where the estimates are rough, balanced leaves nothing out."""
        return query.precision if self.is_fitted(query) or query.precision is Precision.HIGH else Precision.ALL


def recall(view: View, query: Query) -> RecallOutcome:
    """Return the active memories of a view that answer `query`.

    Takes four queries in hybrid mode, one more each if a few days or an aspect of the owner are asked about, three in
    keyword mode, one in semantic mode; more for tags and as `nearest_items` says. Raises InvalidInput or LimitExceeded,
    and in semantic mode EmbeddingError: in hybrid mode, keywords alone are searched when the embedder fails, unless a
    budget refuses it.
    """
    limit = checked_recall_limit(query.limit)
    # Where meaning alone decides, the first ones that are found are the matches.
    further = further_columns(limit) if query.mode is Mode.SEMANTIC else None
    gathered = gather_candidates(view, query, further=further)
    ranked = rank(gathered.candidates, WEIGHTS[query.mode], query.moment, gathered.period)
    may_move = query.mode is Mode.HYBRID
    most = max(limit, CONSIDERED_MATCHES) if may_move else limit
    considered = _considered(ranked, query.min_score, most, with_dated=bool(gathered.only_asked or gathered.planned))
    tombstones = query.as_of is not None
    loaded, pairs = load_matches(
        view,
        considered,
        gathered.space_id,
        gathered.vector,
        tombstones=tombstones,
        read=further.rows if further else None,
    )
    if may_move:
        asked = _about_the_user(query.read_text, gathered.words)
        considered, loaded = prefer_answers(
            asked,
            considered,
            loaded,
            is_read=gathered.is_fitted(query),
            owner_names=gathered.words.owner_names,
        )
    calibration, unknown_name = gathered.calibration(query.mode, considered), gathered.words.unknown_name
    estimated = estimate(ranked, considered, calibration, unknown_name=unknown_name)
    dated = _dated(loaded, gathered, query) if may_move else None
    current = put_current_first(
        loaded,
        pairs,
        query.read_text,
        limit,
        may_move=may_move,
        period=gathered.period,
        moment=query.moment,
        dated=dated,
    )
    estimated = _with_least(estimated, considered, current, dated)
    matches = estimated.keep(current, gathered.precision(query))
    missed = _near_misses(ranked, considered, loaded, matches)
    return RecallOutcome(
        matches, estimated.confidence, gathered.without_embedder, missed, gathered.tags, gathered.is_calibrated
    )


def _with_least(
    estimated: Estimate, considered: Iterable[Ranked], current: Iterable[Match], dated: Dated | None
) -> Estimate:
    """Return the estimate with the least relevance of what is found for its aspect of the owner or for its days."""
    telling = {item.candidate.item_id for item in considered if tells(item)}
    estimated = estimated.at_least(dict.fromkeys(telling, LEAST_RELEVANCE))
    if dated is None or not dated.is_only_time:
        return estimated
    replaced = {match.memory.id for match in current if match.superseded_by is not None}
    following = dated.next_id(replaced)
    beginning = dated.beginning | ({following} if following is not None else set())
    return estimated.with_dated(beginning - replaced, dated.others - replaced)


def _dated(loaded: Sequence[Match], gathered: GatheredCandidates, query: Query) -> Dated | None:
    """Return the matches that come first because of their days, if the question asks about days."""
    if gathered.only_asked:
        return Dated.among(loaded, gathered.only_asked)._replace(is_past=gathered.period is not None)
    if gathered.planned:
        return Dated.among(loaded, gathered.planned)._replace(is_only_time=False)
    words = asked_next(query.read_text)
    return Dated.next_of(words, loaded, query.moment) if words else None


def _considered(ranked: Iterable[Ranked], min_score: float, most: int, *, with_dated: bool) -> list[Ranked]:
    """Return the first candidates that reach `min_score`, and all others that tell the asked aspect. `with_dated`: also
    all others that name an asked day.
    """
    reaching = (item for item in ranked if item.candidate.reaches(min_score))
    first = list(itertools.islice(reaching, most))
    rest = list(reaching)
    dated = naming_days(rest) if with_dated else []
    return [*first, *dated, *(item for item in rest if tells(item) and item not in dated)]


def _near_misses(
    ranked: Iterable[Ranked], considered: Iterable[Ranked], loaded: Iterable[Match], matches: Iterable[Match]
) -> list[Ranked]:
    """Return the first candidates that are not matches, without memories that were forgotten in the meantime."""
    gone = {item.candidate.item_id for item in considered} - {match.memory.id for match in loaded}
    left_out = gone | {match.memory.id for match in matches}
    missed = (item for item in ranked if item.candidate.item_id not in left_out)
    return list(itertools.islice(missed, NEAR_MISSES))


def gather_candidates(
    view: View,
    query: Query,
    corpus: Corpus = MEMORIES,
    source: str | None = None,
    further: FurtherColumns | None = None,
) -> GatheredCandidates:
    """Return each item of a corpus that may answer `query` with its signals, in no order.

    `source` restricts the items of a corpus that has sources. `further` is read about the nearest ones.
    Raises the errors of `recall`.
    """
    limit = _checked_limit(query)
    tags = canonical_tags(view, query.tags)
    if query.tags and not tags:
        return GatheredCandidates([])
    # The vector of "?" or "..." means nothing, but is near to some memory.
    if not has_words(query.read_text):
        return GatheredCandidates([], tags=tags)
    words = (
        QuestionTerms()
        if query.mode is Mode.SEMANTIC
        else load_question_terms(RecallFilters(view, corpus=corpus, as_of=query.as_of), query.read_text)
    )
    period, periods = _asked_periods(query)
    is_only_time = bool(periods) and asks_only_for_time(query.read_text)
    longest = SEASON_DAYS if is_only_time else FEW_DAYS
    question = replace(
        _question(query, words, corpus),
        days=days_literal(period.days for period in periods),
        longest=longest_named(periods),
        further=further,
        aspect=asked_aspect(query.read_text),
        are_few=corpus is MEMORIES and all(period.end - period.start <= longest for period in periods),
    )
    filters = RecallFilters(
        view, tags, query.since, query.until, query.keeper, query.agent, source, corpus, query.as_of
    )
    candidates = FINDERS[query.mode](filters, question, _pool(query.mode, limit))
    return GatheredCandidates(
        candidates,
        tags,
        words,
        question.space_id,
        question.full_vector,
        is_calibrated=question.is_calibrated,
        without_embedder=question.space_id is None,
        period=period,
        only_asked=periods if question.are_few and is_only_time else (),
        planned=periods if question.are_few and period is None and asks_for_plans(query.read_text) else (),
    )


def _asked_periods(query: Query) -> tuple[Period | None, list[Period]]:
    """Return the past period that the question refers to, and all periods that it may refer to, if times count."""
    if "time" not in WEIGHTS[query.mode]:
        return None, []
    now = query.asked_at or timezone.now()
    return asked_periods(query.read_text, now.astimezone(settings.OWNER_TIME_ZONE))


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
        raise InvalidInput(gettext("must not be empty."), argument=query.argument)
    if len(query.text) > settings.MAX_TEXT_CHARS:
        raise LimitExceeded(
            gettext("has %(number)s characters; at most %(max_text_chars)s are allowed.")
            % {
                "number": number_format(len(query.text), force_grouping=True),
                "max_text_chars": number_format(settings.MAX_TEXT_CHARS, force_grouping=True),
            },
            argument=query.argument,
        )
    if not 0.0 <= query.min_score <= 1.0:
        raise InvalidInput("must be a number from 0 to 1.", argument="min_score")
    since, until = checked_time("since", query.since), checked_time("until", query.until)
    checked_time("as_of", query.as_of)
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


def _question(query: Query, words: QuestionTerms, corpus: Corpus) -> EmbeddedQuestion:
    """Return the question with its vectors: that of the full text, and that of the text without names.

    The owner's name is not left out but replaced. Memories may say "Ruth" or "I", so the better vector counts.
    """
    text = query.read_text
    asked = _about_the_user(text, words)
    rest = words.without_names(asked)
    names_owner = asked != text
    if corpus is MEMORIES:
        # Documents may be about other users than the owner.
        text, rest = in_first_person(text), in_first_person(rest)
    try:
        space = space_in_use()
        embedder = space.embedder
        with interactive_embedding():
            vectors = embedder.embed_queries([text] if rest == text else [text, rest])
    except EmbeddingError as error:
        is_refused = isinstance(error, EmbeddingRefused)
        if query.mode is Mode.SEMANTIC or (is_refused and query.mode is not Mode.KEYWORD):
            raise
        logger.warning("Recall uses keywords only: %s", error)
        return EmbeddedQuestion(words, None, None, None)
    is_calibrated = embedder.space.model in SHIPPED_MODELS
    return EmbeddedQuestion(words, space.pk, vectors[0], vectors[-1], is_calibrated, names_owner=names_owner)


def _about_the_user(question: str, words: QuestionTerms) -> str:
    """Return an English question with "the user" in place of the owner's name, unless lines of that name are stored."""
    if not words.owner_names or question_language(question) == "other":
        return question
    speakers = {name.lower() for name in words.names}
    return about_the_user(question, [names for names in words.owner_names if names[0] not in speakers])
