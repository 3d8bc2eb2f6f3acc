"""DevBench of doobidoo/mcp-memory-service (Apache-2.0): notes of a software project, questions, and its metric."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchmarks.public.scores import mean, precision_at, recall_at, reciprocal_rank

CUT = 5
"""Number of results that the benchmark looks at."""

NEGATIVE = "negative"
"""The category of questions that nothing answers."""


@dataclass(frozen=True, slots=True)
class Note:
    """A memory of the benchmark. Some of its tags are the labels that questions expect."""

    text: str
    tags: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its category, and the labels of the notes that answer it."""

    text: str
    category: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DevBench:
    """The notes, in the order of the file, and the questions."""

    notes: Sequence[Note]
    questions: Sequence[Question]


def read(path: Path) -> DevBench:
    """Read `scripts/benchmarks/devbench_dataset.json` of that repository."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return DevBench(
        [
            Note(note["content"], tuple(note["tags"]), datetime.fromisoformat(note["created_at_iso"]))
            for note in content["memories"]
        ],
        [Question(query["question"], query["category"], tuple(query["expected_tags"])) for query in content["queries"]],
    )


def labels_of(notes: Sequence[Note], question: Question) -> list[str]:
    """Return for each note that was found the expected label that it has, or else a text that is no label."""
    return [
        next((label for label in question.labels if label in note.tags), f"not expected: {place}")
        for place, note in enumerate(notes)
    ]


def scores(asked: Sequence[tuple[Question, Sequence[Note]]]) -> Mapping[str, float]:
    """Return the figures of the benchmark for the notes that were found, best first.

    - Recall and precision among the first five, and the mean reciprocal rank: all, and of each category. Negative
      questions do not count.
    - The false positive rate: the notes returned for negative questions, divided by five each.
    """
    answered = [(question, labels_of(notes[:CUT], question)) for question, notes in asked if question.labels]
    figures: dict[str, float] = {}
    for category in ("", *sorted({question.category for question, _ in answered})):
        chosen = [(found, question.labels) for question, found in answered if category in ("", question.category)]
        name = f"{category or 'all'}: "
        figures[f"{name}recall@{CUT}"] = mean(recall_at(CUT, *pair) for pair in chosen)
        figures[f"{name}precision@{CUT}"] = mean(precision_at(CUT, *pair) for pair in chosen)
        figures[f"{name}MRR"] = mean(reciprocal_rank(*pair) for pair in chosen)
    negative = [notes for question, notes in asked if question.category == NEGATIVE]
    figures["false positive rate"] = mean(len(notes[:CUT]) / CUT for notes in negative)
    return figures
