"""Ranking of candidates by weighted signals, in pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from datetime import datetime
from operator import attrgetter, mul
from typing import NamedTuple

from memories.recall.signals import SIGNALS, Candidate, Moment, Weights
from memories.times.periods import Period

_FIELDS = [signal.name for signal in SIGNALS if signal.compute is None]
_COMPUTES = [(signal.name, signal.compute) for signal in SIGNALS]
_fields_of = attrgetter(*_FIELDS)
"""Reads all signals that are fields at once: many more candidates are ranked than are shown."""


class Ranked(NamedTuple):
    """A candidate and its rank: the weighted sum of its signals at a moment."""

    candidate: Candidate
    rank: float
    weights: Weights
    moment: Moment

    @property
    def parts(self) -> dict[str, float]:
        """The contribution of each signal that has a weight to the rank."""
        candidate, moment, weights = self.candidate, self.moment, self.weights
        parts = {}
        for name, compute in _COMPUTES:
            weight = weights.get(name)
            if weight:
                value = getattr(candidate, name) if compute is None else compute(candidate, moment)
                # Adding 0 makes the -0.0 of a signal that lowers the rank a 0.
                parts[name] = weight * value + 0.0
        return parts


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
    ranked.sort(key=_order)
    return ranked


def with_answer_kind(ranked: Sequence[Ranked], telling: Set[int]) -> list[Ranked]:
    """Return the candidates, of which those with an id in `telling` have the signal `answer_kind`, in their new order.

    It is added afterwards, since only the texts of the first candidates are read.
    """
    return sorted((_telling(item) if item.candidate.item_id in telling else item for item in ranked), key=_order)


def _telling(item: Ranked) -> Ranked:
    weight = item.weights["answer_kind"]
    return item._replace(candidate=item.candidate._replace(answer_kind=1.0), rank=item.rank + weight)


def _order(item: Ranked) -> tuple[float, int]:
    return -item.rank, -item.candidate.item_id
