"""Evaluation of recall: each judged question is asked again, and its matches are compared with those of then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from django.conf import settings
from django.db.models import Exists, OuterRef

from memories.access import View
from memories.errors import EmbeddingError, InvalidInput, LimitExceeded
from memories.models import PastRecall, Verdict
from memories.recall.pipeline import POOL_FACTOR, POOL_MINIMUM, recall
from memories.recall_log.past_recalls import eligible_memories, query_of, view_of, was_beyond_limit

MIN_PLACES = POOL_MINIMUM // POOL_FACTOR
"""Least number of places that are compared if the limit was lower: the most that leaves the candidates unchanged."""

CUTS = (5, 10)
"""Numbers of first matches among which a useful memory counts as found."""

WRONG_CUT = 5


@dataclass(frozen=True, slots=True)
class JudgedMemory:
    """An active memory that was judged as a match of a question, and its place then and now.

    The first place is 1. A place beyond the limit means that the limit left the memory out; None means that it was
    further back, or was not found.
    """

    memory_id: int
    is_useful: bool
    place_then: int | None
    place_now: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A judged question with its judged memories: useful ones first, in the order of their places then.

    `refusal` says why the question cannot be asked today, if it cannot: nothing is compared then.
    """

    recall: PastRecall
    judged: Sequence[JudgedMemory]
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class RecallMetrics:
    """Metrics over all questions.

    - `recall_at`: for each of `CUTS`, the share (0–1) of a question's useful memories that were returned among the
      first so many matches, averaged over the questions; None if no memory was judged useful.
    - `wrong`: the number of wrong memories that were returned among the first `WRONG_CUT` matches.
    """

    recall_at: Mapping[int, float | None]
    wrong: int


def compare(view: View) -> Iterator[Comparison]:
    """Ask each judged question of the owner again, oldest first, in its mode and with its filters.

    Memories that are inactive, or that the filters exclude by now, say nothing about recall and are left out. Raises
    EmbeddingError when the embedder fails: the results of keywords alone are not comparable.
    """
    judged = PastRecall.objects.filter(Exists(Verdict.objects.filter(recall=OuterRef("pk"))), owner_id=view.owner_id)
    for past in judged.order_by("at", "pk").prefetch_related("verdicts"):
        words = {verdict.memory_id: verdict.is_useful for verdict in past.verdicts.all()}
        active = set(eligible_memories(past).active().filter(pk__in=words).values_list("pk", flat=True))
        if active:
            try:
                yield _comparison(past, {memory_id: words[memory_id] for memory_id in active})
            except (InvalidInput, LimitExceeded) as error:
                yield Comparison(past, [], str(error))


def compute_metrics(comparisons: Iterable[Comparison], place_of: Callable[[JudgedMemory], int | None]) -> RecallMetrics:
    """Compute the metrics of the places that `place_of` returns: those of then or those of now."""
    shares: dict[int, list[float]] = {cut: [] for cut in CUTS}
    wrong = 0
    for comparison in comparisons:
        limit = comparison.recall.limit
        useful = [place_of(item) for item in comparison.judged if item.is_useful]
        if useful:
            for cut, of_questions in shares.items():
                of_questions.append(fmean(_is_among(place, min(cut, limit)) for place in useful))
        rejected = (place_of(item) for item in comparison.judged if not item.is_useful)
        wrong += sum(_is_among(place, min(WRONG_CUT, limit)) for place in rejected)
    return RecallMetrics(
        {cut: fmean(of_questions) if of_questions else None for cut, of_questions in shares.items()}, wrong
    )


def _is_among(place: int | None, first: int) -> bool:
    return place is not None and place <= first


def _comparison(past: PastRecall, words: Mapping[int, bool]) -> Comparison:
    query = query_of(past)
    most = min(max(past.limit, MIN_PLACES), settings.MAX_RECALL_LIMIT)
    recalled = recall(view_of(past), replace(query, limit=most))
    if recalled.only_keywords:
        raise EmbeddingError("The embedding provider did not respond. Try again.")
    beyond = [near_miss for near_miss in past.near_misses if was_beyond_limit(past, near_miss)]
    then = _places([found["id"] for found in (*past.matches, *beyond)])
    now = _places([match.memory.pk for match in recalled.matches])
    judged = [JudgedMemory(pk, is_useful, then.get(pk), now.get(pk)) for pk, is_useful in words.items()]
    last = len(then) + 1
    return Comparison(
        past, sorted(judged, key=lambda item: (not item.is_useful, item.place_then or last, item.memory_id))
    )


def _places(memory_ids: Sequence[int]) -> dict[int, int]:
    return {memory_id: place for place, memory_id in enumerate(memory_ids, start=1)}
