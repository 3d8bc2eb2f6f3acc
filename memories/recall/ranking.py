"""What speaks for a memory, weighed: pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from operator import mul

from memories.recall.times import Period

CONFIRMATION_HALF_LIFE_SECONDS = 365 * 86_400.0
"""In seconds."""

Signals = tuple[float, float, float, float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What speaks for a memory; all 0–1, except `beside` and `session`, 0–1.5.

    `score`: cosine to the question, None where it is unknown, without an embedder or while the vector is pending;
    `similarity`: the same with names taken out, 0 where it is unknown;
    `words`: BM25 as a share of the best one's, or of what is expected of a match; `named`: 1 if it is about somebody
    whom the question names, 0.5 if they are mentioned; `beside`: similarity + words/2 of the better neighbour in its
    session; `session`: that of the best memory of its session, or of itself; `stated`: the share of its text that is no
    question. The last two are Unix times: of the many that are weighed, few are shown, and reading a time costs more
    than weighing it.
    """

    memory_id: int
    score: float | None
    similarity: float
    words: float = 0.0
    named: float = 0.0
    beside: float = 0.0
    session: float = 0.0
    stated: float = 0.0
    importance: float = 0.0
    last_confirmed_at: float = 0.0
    created_at: float = 0.0

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
    stated: float = 0.0
    importance: float = 0.0
    confirmed: float = 0.0
    time: float = 0.0


SIGNALS = tuple(field.name for field in fields(Weights))
HYBRID = Weights(
    words=0.22, named=0.45, beside=0.2, session=0.38, stated=0.15, importance=0.02, confirmed=0.02, time=0.2
)
SEMANTIC = Weights()
KEYWORD = Weights(similarity=0.0, words=1.0)


def signals_of(item: Candidate, now: float, period: Period | None) -> Signals:
    """What `Weights` weighs, in the order of its fields; `now` is a Unix time."""
    age = max(now - item.last_confirmed_at, 0.0)
    confirmed = 0.5 ** (age / CONFIRMATION_HALF_LIFE_SECONDS)
    is_of_that_time = period is not None and period.start.timestamp() <= item.created_at < period.end.timestamp()
    return (
        item.similarity,
        item.words,
        item.named,
        item.beside,
        item.session,
        item.stated,
        item.importance,
        confirmed,
        float(is_of_that_time),
    )


@dataclass(frozen=True, slots=True)
class Ranked:
    """A memory in its place: the candidate, and what each signal counted, by `Weights`; their sum is the `rank`."""

    candidate: Candidate
    rank: float
    signals: Signals
    weights: Weights

    @property
    def parts(self) -> dict[str, float]:
        """What each signal that is weighed adds to the rank."""
        weights = [getattr(self.weights, name) for name in SIGNALS]
        return {
            name: weight * signal for name, weight, signal in zip(SIGNALS, weights, self.signals, strict=True) if weight
        }


def rank(
    candidates: Iterable[Candidate], weights: Weights, now: datetime, period: Period | None = None
) -> list[Ranked]:
    """Most relevant first; `period` is when the question says that it was. Ties: newest first."""
    factors, moment = astuple(weights), now.timestamp()
    ranked = []
    for item in candidates:
        signals = signals_of(item, moment, period)
        ranked.append(Ranked(item, sum(map(mul, factors, signals)), signals, weights))
    return sorted(ranked, key=lambda item: (-item.rank, -item.candidate.memory_id))
