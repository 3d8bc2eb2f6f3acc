"""Search for the passages of documents that answer a question, with the retrieval engine of memories."""

from __future__ import annotations

import itertools
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils import timezone

from documents.corpus import CHUNKS
from documents.models import Chunk
from documents.selectors import visible_chunks
from memories.access import View
from memories.recall.pipeline import WEIGHTS, Mode, Query, checked_recall_limit, gather_candidates
from memories.recall.ranking import Ranked, rank
from memories.recall.relevance import estimate
from memories.recall.signals import HYBRID, Weights
from memories.validation.text import check_storable

CONSIDERED_PER_RESULT = 5
"""Number of chunks that are loaded per wanted passage: many of the best may be of one document."""

MOST_PER_DOCUMENT = 5
"""Greatest number of passages of one document in a result, so that a long one leaves room for others."""

# A line of a conversation is better understood beside its neighbour. A passage stands for itself: that its neighbour
# answers the question would only put it before the neighbour. It contains its title and headings, so that its meaning
# says more than that of a line. Measured: benchmarks/passage_search.py.
PASSAGE_WEIGHTS: Mapping[Mode, Weights] = {
    **WEIGHTS,
    Mode.HYBRID: {**HYBRID, "beside": 0.0, "words": 0.2, "session": 0.2},
}


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage of a document.

    `cosine` to the question: 0–1, None if it is unknown; `relevance`: the estimated probability that it answers the
    question, 0–1.
    """

    chunk: Chunk
    cosine: float | None
    relevance: float

    @property
    def score(self) -> float:
        """The cosine; 0 if it is unknown."""
        return self.cosine or 0.0


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The passages found, most relevant first.

    - `confidence`: the estimated probability that the question is answered by any document, 0–1.
    - `only_keywords`: the embedder failed, so keywords alone were searched.
    - `tags`: the canonical tags that were searched.
    """

    passages: Sequence[FoundPassage]
    confidence: float
    only_keywords: bool
    tags: Sequence[str] = ()


def search_documents(
    view: View, query: Query, source: str | None = None, *, per_document: int = MOST_PER_DOCUMENT, repeats: bool = False
) -> SearchOutcome:
    """Return the passages of a view's documents that answer `query`, at most `per_document` of each document.

    Without `repeats`, of equal passages only the best is returned: a file may have been uploaded, and be in a folder.

    Raises the errors of `recall`.
    """
    limit = checked_recall_limit(query.limit)
    if source is not None:
        check_storable("source", source)
    gathered = gather_candidates(view, query, CHUNKS, source)
    weights = PASSAGE_WEIGHTS[query.mode]
    ranked = rank(gathered.candidates, weights, query.asked_at or timezone.now(), gathered.period)
    reaching = (item for item in ranked if item.candidate.reaches(query.min_score))
    considered = list(itertools.islice(reaching, CONSIDERED_PER_RESULT * limit))
    unknown_name = gathered.words.unknown_name
    estimated = estimate(ranked, considered, gathered.calibration(query.mode, considered), unknown_name=unknown_name)
    best = list(itertools.islice(_best_of_each_document(view, considered, per_document, repeats), limit))
    relevant = estimated.relevant([chunk.pk for chunk, _ in best], gathered.precision(query))
    passages = [
        FoundPassage(chunk, _at_most_one(item.candidate.cosine), estimated.relevance[chunk.pk])
        for chunk, item in best
        if chunk.pk in relevant
    ]
    return SearchOutcome(passages, estimated.confidence, gathered.without_embedder, gathered.tags)


def _best_of_each_document(
    view: View, ranked: Iterable[Ranked], most: int, repeats: bool
) -> Iterator[tuple[Chunk, Ranked]]:
    """Yield the first chunks of each document, unless it was forgotten or has left the view meanwhile. One query."""
    order = {item.candidate.item_id: item for item in ranked}
    chunks = visible_chunks(view).select_related("document", "version").defer("version__text").in_bulk(order)
    taken: Counter[uuid.UUID] = Counter()
    seen: set[tuple[str, str]] = set()
    for chunk_id, item in order.items():
        chunk = chunks.get(chunk_id)
        if chunk is None or taken[chunk.document_id] >= most:
            continue
        if (passage := (chunk.heading, chunk.text)) in seen and not repeats:
            continue
        taken[chunk.document_id] += 1
        seen.add(passage)
        yield chunk, item


def _at_most_one(cosine: float | None) -> float | None:
    """Return `cosine` without the excess over 1 that rounding causes."""
    return None if cosine is None else min(cosine, 1.0)
