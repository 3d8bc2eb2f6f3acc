"""What speaks for a memory, weighed: pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memories.times import Period

CONFIRMATION_HALF_LIFE = timedelta(days=365)

NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a memory; all 0–1, except `beside` and `session`, 0–1.5.

    `score`: cosine to the question, None where it is unknown, without an embedder or while the vector is pending;
    `similarity`: the same with names taken out, 0 where it is unknown;
    `words`: BM25 as a share of the best one's, or of what is expected of a match; `named`: 1 if it is about somebody
    whom the question names, 0.5 if they are mentioned; `beside`: similarity + words/2 of the better neighbour in its
    session; `session`: that of the best memory of its session, or of itself.
    """

    memory_id: int
    score: float | None
    similarity: float
    words: float = 0.0
    named: float = 0.0
    beside: float = 0.0
    session: float = 0.0
    importance: float = 0.0
    last_confirmed_at: datetime = NEVER
    created_at: datetime = NEVER

    def reaches(self, min_score: float) -> bool:
        """Whether the cosine is at least so much; where it is unknown, a word that matches has to do."""
        if self.score is None:
            return self.words > 0 or min_score == 0
        return self.score >= min_score


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts beside a cosine of 1. How they were found: docs/decisions/ranking.md."""

    similarity: float = 1.0
    words: float = 0.0
    named: float = 0.0
    beside: float = 0.0
    session: float = 0.0
    importance: float = 0.0
    confirmed: float = 0.0
    time: float = 0.0


HYBRID = Weights(words=0.22, named=0.45, beside=0.2, session=0.38, importance=0.02, confirmed=0.02, time=0.1)
SEMANTIC = Weights()
KEYWORD = Weights(similarity=0.0, words=1.0)


def parts_of(item: Evidence, weights: Weights, now: datetime, period: Period | None) -> dict[str, float]:
    """What each signal that is weighed adds to the rank of a memory."""
    age = max(now - item.last_confirmed_at, timedelta(0))
    signals = {
        "similarity": item.similarity,
        "words": item.words,
        "named": item.named,
        "beside": item.beside,
        "session": item.session,
        "importance": item.importance,
        "confirmed": 0.5 ** (age / CONFIRMATION_HALF_LIFE),
        "time": float(period is not None and period.start <= item.created_at < period.end),
    }
    weighed = {name: weight for name in signals if (weight := getattr(weights, name))}
    return {name: weight * signals[name] for name, weight in weighed.items()}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A memory in its place: the evidence, and what each part of it counted."""

    evidence: Evidence
    parts: Mapping[str, float]

    @property
    def rank(self) -> float:
        """The sum of the parts: the greater, the further ahead."""
        return sum(self.parts.values())


def rank(evidence: Iterable[Evidence], weights: Weights, now: datetime, period: Period | None = None) -> list[Ranked]:
    """Most relevant first; `period` is when the question says that it was. Ties: newest first."""
    ranked = (Ranked(item, parts_of(item, weights, now, period)) for item in evidence)
    return sorted(ranked, key=lambda item: (-item.rank, -item.evidence.memory_id))
