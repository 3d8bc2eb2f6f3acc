"""Datasets: memories, and questions with the memories that answer them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"
MOST_CHARS = 16_000
"""Length of the longest memory, in characters: the default of MAX_TEXT_CHARS."""


@dataclass(frozen=True, slots=True)
class DatasetMemory:
    """A memory to store. `session` groups the memories of one conversation; `at` is the time when it was said."""

    key: str
    text: str
    session: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its kind, its half of the data (0 or 1), and the keys of the memories that answer it."""

    text: str
    kind: str
    half: int
    answers: Sequence[str]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Memories, and the questions about them."""

    name: str
    texts: Sequence[DatasetMemory]
    questions: Sequence[Question]


def dialogues(path: Path) -> Dataset:
    """Load LoCoMo (Maharana et al. 2024) or REALTALK (Lee et al. 2025), with all conversations pooled.

    Neither is part of this project. LoCoMo's licence is CC BY-NC 4.0.

    Each turn is a memory. `path` is a JSON file of `memories` (key `conversation/session:turn`, speaker, date, text)
    and `queries` (question, category, evidence).
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    conversations = sorted({query["conversation"] for query in content["queries"]})
    texts = [
        DatasetMemory(
            memory["key"],
            memory["text"],
            memory["key"].partition(":")[0],
            _spoken_at(memory["date"]),
        )
        for memory in content["memories"]
    ]
    known = {text.key for text in texts}
    questions = [
        Question(query["question"], query["category"], conversations.index(query["conversation"]) % 2, answers)
        for query in content["queries"]
        if (answers := [key for key in query["evidence"] if key in known])
    ]
    return Dataset("dialogues", texts, questions)


def _spoken_at(written: str) -> datetime:
    """Return the time of a turn. LoCoMo and REALTALK write it in different forms. Raises ValueError."""
    for form in ("%I:%M %p on %d %B, %Y", "%d.%m.%Y, %H:%M:%S"):
        with suppress(ValueError):
            return datetime.strptime(written, form).replace(tzinfo=UTC)
    raise ValueError(f"Unknown form of time: {written}")


def shipped(name: str) -> Dataset:
    """Load a dataset from `benchmarks/data`: texts or conversations, and questions with their answers.

    An answer in the file is the number of a text, or "conversation:line".
    """
    content: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    texts = [DatasetMemory(str(number), text) for number, text in enumerate(content.get("texts", []))]
    for number, session in enumerate(content.get("sessions", [])):
        at = datetime.fromisoformat(session["at"])
        texts += [
            DatasetMemory(f"{number}:{place}", line, str(number), at) for place, line in enumerate(session["lines"])
        ]
    questions = [
        Question(question["question"], question["kind"], number % 2, [str(answer) for answer in question["answers"]])
        for number, question in enumerate(content["questions"])
    ]
    return Dataset(name, texts, questions)


def in_long_memories(dataset: Dataset, count: int = 1) -> Dataset:
    """Merge the memories into longer ones: one per session or, without sessions, one per `count` random texts.

    A session that is longer than a memory can be becomes several.
    """
    texts = list(dataset.texts)
    if texts[0].session is None:
        random.Random(1).shuffle(texts)
        groups = [texts[start : start + count] for start in range(0, len(texts), count)]
    else:
        sessions = [list(session) for _, session in groupby(texts, key=lambda text: text.session)]
        groups = [part for session in sessions for part in _fitting(session)]
    holder = {text.key: group[0].key for group in groups for text in group}
    return Dataset(
        f"{dataset.name} in long memories",
        [DatasetMemory(group[0].key, "\n".join(text.text for text in group), at=group[0].at) for group in groups],
        [replace(asked, answers=sorted({holder[key] for key in asked.answers})) for asked in dataset.questions],
    )


def _fitting(session: Sequence[DatasetMemory]) -> Iterator[list[DatasetMemory]]:
    """Yield the memories of a session in parts, each of which fits into one memory."""
    part: list[DatasetMemory] = []
    for text in session:
        if part and len("\n".join(known.text for known in [*part, text])) > MOST_CHARS:
            yield part
            part = []
        part.append(text)
    yield part
