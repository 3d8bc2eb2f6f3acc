"""Ranking of candidates by weighted signals, in pure functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter, mul

from memories.recall.signals import SIGNALS, Candidate, Moment, Weights
from memories.times.periods import Period

_FIELDS = [signal.name for signal in SIGNALS if signal.compute is None]
_fields_of = attrgetter(*_FIELDS)
"""Reads all signals that are fields at once: many more candidates are ranked than are shown."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate and its rank: the weighted sum of its signals at a moment."""

    candidate: Candidate
    rank: float
    weights: Weights
    moment: Moment

    @property
    def parts(self) -> dict[str, float]:
        """The contribution of each signal that has a weight to the rank."""
        return {
            # Adding 0 makes the -0.0 of a signal that lowers the rank a 0.
            signal.name: weight * signal.value(self.candidate, self.moment) + 0.0
            for signal in SIGNALS
            if (weight := self.weights.get(signal.name))
        }


def rank(
    candidates: Iterable[Candidate], weights: Weights, now: datetime, period: Period | None = None
) -> list[Ranked]:
    """Return the candidates with their ranks, most relevant first; ties: newest first.

    `period` is the time that the question refers to.
    """
    moment = Moment(now.timestamp(), period)
    factors = [weights.get(name, 0.0) for name in _FIELDS]
    computed = [
        (weights[signal.name], signal.compute) for signal in SIGNALS if signal.compute and weights.get(signal.name)
    ]
    ranked = []
    for candidate in candidates:
        total: float = sum(map(mul, factors, _fields_of(candidate)))
        for weight, compute in computed:
            total += weight * compute(candidate, moment)
        ranked.append(Ranked(candidate, total, weights, moment))
    return sorted(ranked, key=lambda item: (-item.rank, -item.candidate.item_id))
