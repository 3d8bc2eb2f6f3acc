"""Precision of the findings on labelled data, of which half was held out when the rules were written.

Memories whose time is over, and those that nobody needed for a year, follow from their times alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from memories.cleanup.detection.fragments import why_fragment
from memories.cleanup.detection.same_tags import find_same_tags
from memories.cleanup.detection.similar import are_contradicting
from memories.cleanup.detection.tag_suggestions import NEIGHBOURS, agreed_tag
from memories.embeddings.base import Matrix
from memories.relations.comparison import say_the_same
from memories.relations.statements import Statement
from tests.support.embeddings.embedders import shipped_model

DATA = Path(__file__).resolve().parents[3] / "fixtures" / "findings"
HALVES = ("looked at", "held out")
MIN_PRECISION, MIN_RECALL = 0.9, 0.5


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled example, and whether the rules find it."""

    text: str
    is_right: bool
    is_found: bool


def lines_of(name: str) -> list[str]:
    text = (DATA / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def fragments() -> list[Example]:
    return [Example(line[2:], line[0] == "+", why_fragment(line[2:]) is not None) for line in lines_of("fragments")]


def contradictions(file: str = "contradictions") -> list[Example]:
    pairs = [(line, *line[2:].split(" | ")) for line in lines_of(file)]
    vectors = embedded([text for _, *texts in pairs for text in texts])
    examples = []
    for number, (line, older, newer) in enumerate(pairs):
        cosine = float(vectors[2 * number] @ vectors[2 * number + 1])
        new, old = Statement.of(newer), Statement.of(older)
        is_found = not say_the_same(new, old, cosine) and cosine >= 0.75 and are_contradicting(new, old, cosine)
        examples.append(Example(line, line[0] == "+", is_found))
    return examples


def same_tags() -> list[Example]:
    examples = []
    for line in lines_of("same_tags"):
        sign, tag, count, other, others = line.split()
        found = list(find_same_tags({tag: int(count), other: int(others)}, {}))
        examples.append(Example(line, sign == "+", bool(found)))
    return examples


def tag_suggestions() -> list[Example]:
    lines = lines_of("tag_suggestions")
    tagged = [line.split(": ", 1) for line in lines if not line.startswith("?")]
    asked = [line[2:].split(": ", 1) for line in lines if line.startswith("?")]
    vectors = embedded([text for _, text in (*tagged, *asked)])
    examples = []
    for (expected, text), vector in zip(asked, vectors[len(tagged) :], strict=True):
        cosines = vectors[: len(tagged)] @ vector
        nearest = np.argsort(-cosines)[:NEIGHBOURS]
        suggested = agreed_tag([([tagged[at][0]], float(cosines[at])) for at in nearest])
        is_right = expected != "-" and (suggested is None or suggested[0] == expected)
        examples.append(Example(f"{suggested and suggested[0]} for {text}", is_right, suggested is not None))
    return examples


def embedded(texts: Sequence[str]) -> Matrix:
    return np.stack([embedding.windows[0] for embedding in shipped_model().embed(texts)])


SETS: Mapping[str, Callable[[], list[Example]]] = {
    "fragment": fragments,
    "same_tags": same_tags,
    "tag_suggestion": tag_suggestions,
}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("kind", SETS)
def test_nine_of_ten_findings_are_right(kind: str, half: str) -> None:
    check(f"{kind}, {half}", SETS[kind]()[HALVES.index(half) :: 2])


@pytest.mark.parametrize("file", ["contradictions", "contradictions_held_out"])
def test_nine_of_ten_contradictions_are_right(file: str) -> None:
    check(file, contradictions(file))


def check(name: str, examples: Sequence[Example]) -> None:
    right = [each for each in examples if each.is_found and each.is_right]
    wrong = [each.text for each in examples if each.is_found and not each.is_right]
    missed = [each.text for each in examples if each.is_right and not each.is_found]
    print(f"{name}: {len(right)} right, {len(wrong)} wrong, {len(missed)} missed")
    assert len(right) / (len(right) + len(wrong)) >= MIN_PRECISION, wrong
    assert len(right) / (len(right) + len(missed)) >= MIN_RECALL, missed
