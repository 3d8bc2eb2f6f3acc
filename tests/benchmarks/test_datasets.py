"""Tests of the datasets."""

from __future__ import annotations

from benchmarks.support.datasets import MOST_CHARS, Dataset, DatasetMemory, Question, in_long_memories


def test_a_session_becomes_one_memory_unless_it_is_too_long() -> None:
    half = "x" * (MOST_CHARS // 2)
    texts = [
        DatasetMemory("short:1", "Red", "short"),
        DatasetMemory("short:2", "sails", "short"),
        DatasetMemory("long:1", half, "long"),
        DatasetMemory("long:2", half[1:], "long"),
        DatasetMemory("long:3", "end", "long"),
    ]
    merged = in_long_memories(Dataset("boats", texts, [Question("Where?", "any", 0, ["short:2", "long:2", "long:3"])]))
    assert [text.text for text in merged.texts] == ["Red\nsails", f"{half}\n{half[1:]}", "end"]
    assert merged.questions[0].answers == ["long:1", "long:3", "short:1"]
