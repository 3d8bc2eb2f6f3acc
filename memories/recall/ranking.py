"""Ranking of candidates by weighted signals, in pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter, mul
from typing import Any, NamedTuple

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


def with_signal(ranked: Sequence[Ranked], name: str, values: Mapping[int, float]) -> list[Ranked]:
    """Return the candidates in their new order, after those with an id in `values` have received that signal. This is
    for signals that are added afterwards, because only the texts of the first candidates are read.
    """
    return sorted((_with_signal(item, name, values.get(item.candidate.item_id, 0.0)) for item in ranked), key=_order)


def _with_signal(item: Ranked, name: str, value: float) -> Ranked:
    if not value:
        return item
    changed: dict[str, Any] = {name: value}
    rank = item.rank + item.weights[name] * value
    return item._replace(candidate=item.candidate._replace(**changed), rank=rank)


def _order(item: Ranked) -> tuple[float, int]:
    return -item.rank, -item.candidate.item_id
