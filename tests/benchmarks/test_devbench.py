"""Tests of the reader and the metric of DevBench, with a small file in its format."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.public.devbench import DevBench, read, scores

CONTENT = {
    "memories": [
        {
            "id": "bench:boat-1",
            "content": "The boat has red sails.",
            "tags": ["devbench", "bench:boat-1", "colours"],
            "memory_type": "decision",
            "created_at_iso": "2025-05-01T08:00:00Z",
        },
        {
            "id": "bench:boat-2",
            "content": "The engine runs on diesel.",
            "tags": ["devbench", "bench:boat-2"],
            "memory_type": "config",
            "created_at_iso": "2025-05-02T08:00:00Z",
        },
        {
            "id": "bench:boat-3",
            "content": "The anchor is kept at the bow.",
            "tags": ["devbench", "bench:boat-3"],
            "memory_type": "learning",
            "created_at_iso": "2025-05-03T08:00:00Z",
        },
    ],
    "queries": [
        {"id": "1", "category": "exact", "question": "What colour?", "expected_tags": ["bench:boat-1"]},
        {
            "id": "2",
            "category": "cross_type",
            "question": "What is on board?",
            "expected_tags": ["bench:boat-2", "bench:boat-3"],
        },
        {"id": "3", "category": "negative", "question": "Who sells tea?", "expected_tags": []},
    ],
}


@pytest.fixture
def benchmark(tmp_path: Path) -> DevBench:
    path = tmp_path / "devbench_dataset.json"
    path.write_text(json.dumps(CONTENT), encoding="utf-8")
    return read(path)


def test_notes_and_questions_are_read(benchmark: DevBench) -> None:
    sails = benchmark.notes[0]
    assert sails.text == "The boat has red sails."
    assert sails.tags == ("devbench", "bench:boat-1", "colours")
    assert sails.at == datetime(2025, 5, 1, 8, tzinfo=UTC)
    assert [question.category for question in benchmark.questions] == ["exact", "cross_type", "negative"]
    assert benchmark.questions[1].labels == ("bench:boat-2", "bench:boat-3")


def test_the_figures_are_those_of_the_benchmark(benchmark: DevBench) -> None:
    sails, engine, anchor = benchmark.notes
    colour, board, tea = benchmark.questions
    figures = scores([(colour, [engine, sails]), (board, [anchor, sails]), (tea, [sails, engine])])
    assert figures["exact: recall@5"] == 1
    assert figures["exact: MRR"] == 0.5
    assert figures["cross_type: recall@5"] == 0.5
    assert figures["all: recall@5"] == 0.75
    assert figures["all: MRR"] == 0.75
    assert figures["all: precision@5"] == pytest.approx(0.2)
    assert figures["false positive rate"] == pytest.approx(0.4)
    assert not any(name.startswith("negative") for name in figures)
