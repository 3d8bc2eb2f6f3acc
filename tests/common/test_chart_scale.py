"""The scale beside a chart."""

from __future__ import annotations

import pytest

from common.pages.chart_scale import top_of_scale


@pytest.mark.parametrize(
    ("highest", "top"),
    [(0, 2), (1, 2), (2, 2), (3, 4), (5, 6), (9, 10), (10, 10), (11, 20), (41, 60), (1_000, 1_000), (1_001, 2_000)],
)
def test_the_top_is_round_even_and_high_enough(highest: int, top: int) -> None:
    assert top_of_scale(highest) == top
