"""Ranking of candidates by weighted signals, in pure functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from operator import mul

from memories.recall.times import Period

CONFIRMATION_HALF_LIFE_SECONDS = 365 * 86_400.0
"""Age of a confirmation at which its signal has halved."""

Signals = tuple[float, float, float, float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may answer a question, with its signals: all 0–1, except `beside` and `session`, 0–1.5.

    - `score`: cosine to the question; None if it is unknown, that is without an embedder or while the memory is
      pending.
    - `similarity`: cosine to the question without names; 0 if it is unknown.
    - `words`: BM25 score as a share of the best candidate's, or of what is expected of a match if that is more.
    - `named`: 1 if the memory is about somebody whom the question names, 0.5 if it mentions them.
    - `beside`: similarity + words/2 of the better neighbour in its session.
    - `session`: similarity + words/2 of the best candidate of its session; its own without a session.
    - `stated`: the share of its text that is not a question.
    - `last_confirmed_at`, `created_at`: Unix times. Few of the many candidates are shown, and reading a time as a
      datetime costs more than ranking it.
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
        """Return whether the cosine is at least `min_score`; if it is unknown, a matching word suffices."""
        if self.score is None:
            return self.words > 0 or min_score == 0
        return self.score >= min_score


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each signal, where a cosine of 1 is the unit. How they were found: docs/decisions/ranking.md."""

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
    """Return the values that `Weights` weighs, in the order of its fields. `now` is a Unix time."""
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
    """A candidate with the value of each signal, in the order of `Weights`; `rank` is their weighted sum."""

    candidate: Candidate
    rank: float
    signals: Signals
    weights: Weights

    @property
    def parts(self) -> dict[str, float]:
        """The contribution of each signal that has a weight to the rank."""
        weights = [getattr(self.weights, name) for name in SIGNALS]
        return {
            name: weight * signal for name, weight, signal in zip(SIGNALS, weights, self.signals, strict=True) if weight
        }


def rank(
    candidates: Iterable[Candidate], weights: Weights, now: datetime, period: Period | None = None
) -> list[Ranked]:
    """Return the candidates with their ranks, most relevant first; ties: newest first.

    `period` is the time that the question refers to.
    """
    factors, moment = astuple(weights), now.timestamp()
    ranked = []
    for item in candidates:
        signals = signals_of(item, moment, period)
        ranked.append(Ranked(item, sum(map(mul, factors, signals)), signals, weights))
    return sorted(ranked, key=lambda item: (-item.rank, -item.candidate.memory_id))
