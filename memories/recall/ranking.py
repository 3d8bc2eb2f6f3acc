"""Ranking of candidates by weighted signals, in pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from memories.recall.signals import SIGNALS, Candidate, Moment, Weights
from memories.recall.times import Period


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate and its rank, which is the sum of `parts`: the contribution of each signal that has a weight."""

    candidate: Candidate
    rank: float
    parts: Mapping[str, float]


def rank(
    candidates: Iterable[Candidate], weights: Weights, now: datetime, period: Period | None = None
) -> list[Ranked]:
    """Return the candidates with their ranks, most relevant first; ties: newest first.

    `period` is the time that the question refers to.
    """
    moment = Moment(now.timestamp(), period)
    weighted = [(signal.name, weights[signal.name], signal.value) for signal in SIGNALS if weights.get(signal.name)]
    ranked = []
    for candidate in candidates:
        parts = {name: weight * value(candidate, moment) for name, weight, value in weighted}
        ranked.append(Ranked(candidate, sum(parts.values()), parts))
    return sorted(ranked, key=lambda item: (-item.rank, -item.candidate.memory_id))
