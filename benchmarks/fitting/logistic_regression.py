"""Logistic regression, and the quality of its estimates."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.float64]

STEPS = 40
PENALTY = 0.5


def fit(features: Column, labels: Column) -> Column:
    """Return the bias and the weight of each feature, by Newton's method with a penalty on large weights.

    `features` has the shape (samples, features), `labels` is 0 or 1 for each sample.
    """
    scale = features.std(axis=0) + 1e-9
    inputs = np.column_stack([np.ones(len(labels)), (features - features.mean(axis=0)) / scale])
    penalty = PENALTY * np.diag([0.0, *np.ones(features.shape[1])])
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        estimates = probabilities(inputs @ weights)
        gradient = inputs.T @ (estimates - labels) + penalty @ weights
        hessian = (inputs.T * (estimates * (1 - estimates))) @ inputs + penalty + 1e-9 * np.eye(len(weights))
        weights -= np.linalg.solve(hessian, gradient)
    unscaled = weights[1:] / scale
    return np.array([weights[0] - unscaled @ features.mean(axis=0), *unscaled])


def logits(features: Column, weights: Column) -> Column:
    """Return the logits of samples for the weights that `fit` found."""
    found: Column = features @ weights[1:] + weights[0]
    return found


def cross_fitted(features: Column, labels: Column, groups: Sequence[Hashable]) -> Column:
    """Return the logit of each sample by the weights that the samples of all other groups give."""
    of = np.array([hash(group) for group in groups])
    found = np.zeros(len(labels))
    for group in np.unique(of):
        found[of == group] = logits(features[of == group], fit(features[of != group], labels[of != group]))
    return found


def probabilities(values: Column) -> Column:
    """Return the probabilities of logits."""
    found: Column = 1.0 / (1.0 + np.exp(-np.clip(values, -50, 50)))
    return found


def auroc(values: Column, labels: Column) -> float:
    """Return the probability that a positive sample has a higher value than a negative one."""
    ranks = values.argsort().argsort().astype(np.float64)
    positive = labels > 0
    count = positive.sum()
    return float((ranks[positive].sum() - count * (count - 1) / 2) / (count * (len(labels) - count)))
