"""The fitting of the weights of recall signals to questions with known answers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memories.recall.signals import Weights

FITTED = ("words", "named", "beside", "session", "stated")
CUT = 10
STEPS = (0.5, 0.25, 0.12)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates for one question: columns for `similarity` and the FITTED signals, and which are answers.

    `answers` is the number of all answers, found or not.
    """

    signals: npt.NDArray[np.float64]
    is_answer: npt.NDArray[np.bool_]
    answers: int

    def share_found(self, weights: npt.NDArray[np.float64]) -> float:
        """Return recall@10 if the candidates are ranked with these weights."""
        best = np.argsort(-(self.signals @ weights), kind="stable")[:CUT]
        return float(self.is_answer[best].sum()) / self.answers


def fit(questions: Sequence[Candidates], start: Weights) -> Weights:
    """Return `start` with optimized FITTED weights. One weight is changed at a time, as long as that helps."""
    weights = np.array([1.0, *(start[name] for name in FITTED)])
    best = _mean_found(questions, weights)
    for step in STEPS:
        improved = True
        while improved:
            improved = False
            for place in range(1, len(weights)):
                for change in (1 + step, 1 - step):
                    tried = weights.copy()
                    tried[place] *= change
                    found = _mean_found(questions, tried)
                    if found > best + 1e-6:
                        weights, best, improved = tried, found, True
    return {**start, **dict(zip(FITTED, weights[1:].tolist(), strict=True))}


def _mean_found(questions: Sequence[Candidates], weights: npt.NDArray[np.float64]) -> float:
    return float(np.mean([question.share_found(weights) for question in questions]))


def recall_at(cut: int, rankings: Sequence[Sequence[Hashable]], answers: Sequence[Sequence[Hashable]]) -> float:
    """Return the mean share of the answers that are among the first `cut`."""
    shares = [
        len(set(ranking[:cut]) & set(wanted)) / len(set(wanted))
        for ranking, wanted in zip(rankings, answers, strict=True)
    ]
    return float(np.mean(shares)) if shares else 0.0
