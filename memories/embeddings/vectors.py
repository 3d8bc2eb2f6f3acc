"""Normalized and checked vectors: the last step of every embedder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from memories.embeddings.base import Embedding, Matrix, Vector
from memories.embeddings.windows import Span
from memories.errors import EmbeddingError


def unit_rows(rows: npt.NDArray[np.floating]) -> Matrix:
    """Scale `rows` (shape (windows, dimensions)) to L2 norm 1.

    Raises EmbeddingError when a row has no direction: it is zero, or contains NaN or infinity.
    """
    # In float32 the squares of values above 1e19 overflow to infinity.
    exact = rows.astype(np.float64)
    with np.errstate(over="ignore"):
        norms: npt.NDArray[np.float64] = np.linalg.norm(exact, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise EmbeddingError("The embedding model returned a vector that is zero or not finite.")
    return (exact / norms).astype(np.float32)


def mean_direction(matrix: Matrix) -> Vector:
    """Return the unit vector of the mean of all rows."""
    mean = unit_rows(matrix.mean(axis=0, keepdims=True)) if len(matrix) > 1 else matrix
    vector: Vector = mean[0]
    return vector


def embeddings(rows: Iterable[Vector], spans_of_texts: Iterable[Sequence[Span]]) -> list[Embedding]:
    """Distribute the vectors of all windows, in order, to the texts that they belong to; each has at least one."""
    remaining = iter(rows)
    return [Embedding(np.stack(list(islice(remaining, len(spans)))), spans) for spans in spans_of_texts]
