"""Scores of one ranking."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence


def recall_at(cut: int, found: Sequence[Hashable], wanted: Collection[Hashable]) -> float:
    """Return the share of the wanted items among the first `cut`, 0–1. There must be wanted items."""
    return len(set(found[:cut]).intersection(wanted)) / len(set(wanted))


def precision_at(cut: int, found: Sequence[Hashable], wanted: Collection[Hashable]) -> float:
    """Return the number of wanted items among the first `cut`, divided by `cut`."""
    return len(set(found[:cut]).intersection(wanted)) / cut


def reciprocal_rank(found: Sequence[Hashable], wanted: Collection[Hashable]) -> float:
    """Return 1 / the place, from 1, of the first wanted item; 0 if there is none."""
    return next((1 / place for place, item in enumerate(found, start=1) if item in wanted), 0.0)


def mean(values: Iterable[float]) -> float:
    """Return the mean, or 0 of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
