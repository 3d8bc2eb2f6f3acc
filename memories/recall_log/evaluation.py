"""How recall does today for the questions that were judged: each is asked again, and compared with what came of it."""

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
"""How many places are looked at, where fewer were asked for: as many as change nothing about the candidates."""

CUTS = (5, 10)
"""Among how many of the first useful memories count as found."""

WRONG_CUT = 5


@dataclass(frozen=True, slots=True)
class JudgedMemory:
    """A memory in force that was judged as an answer to a question, and its place then and now: 1 for the first, more
    than the limit for one that the limit left out, None for one that is further back, or was not found."""

    memory_id: int
    is_useful: bool
    place_then: int | None
    place_now: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question that was judged, with what was judged: useful memories first, in their order of then.

    `refusal` says why it cannot be asked today, if it cannot: nothing is compared then.
    """

    recall: PastRecall
    judged: Sequence[JudgedMemory]
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class RecallMetrics:
    """Over all questions: the share of a question's useful memories that were returned among the first so many (by
    `CUTS`), in the mean, 0–1, and how many wrong ones were returned among the first `WRONG_CUT`.

    The share is None where nothing was judged useful.
    """

    recall_at: Mapping[int, float | None]
    wrong: int


def compare(view: View) -> Iterator[Comparison]:
    """The owner's judged questions, oldest first, each asked again now in the same mode, with the same filters.

    A memory that is out of force, or that the filters no longer let through, says nothing about recall, and is left
    out. Raises EmbeddingError where the embedder
    does not answer: what words alone find is not to be compared.
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
    """What came of the questions, by the places of then or of now."""
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
        raise EmbeddingError("The embedding provider did not answer: try again.")
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
