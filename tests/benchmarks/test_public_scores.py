"""Tests of the scores of a ranking, and of the figures that others have published."""

from __future__ import annotations

import pytest

from benchmarks.public.devbench import scores
from benchmarks.public.figures import published, table
from benchmarks.public.precision_scoring import figures
from benchmarks.public.scores import mean, precision_at, recall_at, reciprocal_rank


def test_recall_and_precision_count_only_the_first_results() -> None:
    found = ["a", "x", "b", "y", "c"]
    assert recall_at(3, found, {"a", "b", "c"}) == pytest.approx(2 / 3)
    assert precision_at(3, found, {"a", "b", "c"}) == pytest.approx(2 / 3)
    assert precision_at(5, found[:1], {"a"}) == 0.2


def test_a_result_that_is_returned_twice_counts_once() -> None:
    assert recall_at(3, ["a", "a", "b"], {"a", "c"}) == 0.5
    assert precision_at(2, ["a", "a"], {"a"}) == 0.5


def test_the_reciprocal_rank_is_that_of_the_first_wanted_result() -> None:
    assert reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], {"a"}) == 0


def test_the_mean_of_nothing_is_zero() -> None:
    assert mean([]) == 0
    assert mean([1, 2]) == 1.5


@pytest.mark.parametrize("benchmark", ["DevBench", "PrecisionMemBench", "BEAM"])
def test_every_published_row_has_a_name_and_all_columns(benchmark: str) -> None:
    others = published(benchmark)
    assert others["source"]
    assert others["rows"]
    assert all(len(row) == 1 + len(others["columns"]) for row in others["rows"])


def test_the_published_columns_are_those_that_are_measured() -> None:
    assert set(published("PrecisionMemBench")["columns"]) == {*figures([], []), "p50, ms"}
    assert {name for name in published("DevBench")["columns"] if name.startswith("all:")} <= set(scores([]))


def test_a_table_shows_shares_exactly_and_unknown_figures_as_a_dash() -> None:
    assert list(table(["system", "share", "ms"], [["mine", 0.12345, 1234.56], ["other", None, 3]])) == [
        "| system | share | ms |",
        "|---|---|---|",
        "| mine | 0.123 | 1234.6 |",
        "| other | – | 3 |",
    ]
