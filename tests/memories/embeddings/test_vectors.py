from __future__ import annotations

import numpy as np
import pytest

from memories.embeddings.vectors import embeddings, mean_direction, unit_rows
from memories.embeddings.windows import Span
from memories.errors import EmbeddingError


def test_rows_are_scaled_to_unit_length() -> None:
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, -2.0]]))

    assert rows.dtype == np.float32
    assert rows == pytest.approx(np.array([[0.6, 0.8], [0.0, -1.0]]))


def test_values_whose_squares_overflow_keep_their_direction() -> None:
    assert unit_rows(np.array([[3e30, 4e30]], dtype=np.float32)) == pytest.approx(np.array([[0.6, 0.8]]))


@pytest.mark.parametrize("damaged", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_a_row_without_direction_is_refused(damaged: list[float]) -> None:
    with pytest.raises(EmbeddingError, match="zero or not finite"):
        unit_rows(np.array([[1.0, 0.0], damaged]))


def test_the_mean_direction_lies_between_the_rows() -> None:
    between = mean_direction(np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32))

    assert between == pytest.approx(np.array([0.5**0.5, 0.5**0.5]))


def test_rows_are_dealt_to_their_texts_in_order() -> None:
    rows = [np.full(2, number, dtype=np.float32) for number in range(3)]

    spans = [[Span(0, 3)], [Span(0, 5), Span(4, 9)]]

    dealt = embeddings(rows, spans)

    assert [embedding.windows[:, 0].tolist() for embedding in dealt] == [[0], [1, 2]]
    assert [embedding.spans for embedding in dealt] == spans
