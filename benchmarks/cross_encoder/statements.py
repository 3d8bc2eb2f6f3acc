"""Labelled pairs of statements for the training, from the rows in `data/related` and `data/statements`.

Both kinds of rows begin with a fact and two paraphrases. A network that only sees pairs from one row takes every two
statements with a sign of change for a change. Half of the pairs are therefore a statement and the nearest facts of
other rows, about the same person.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

DATA = Path(__file__).parents[1] / "data"
NEITHER, SAME, CHANGE = 0, 1, 2

SWAPPED = 0.25
"""Share of the pairs of unrelated statements in which the fact is the newer one."""

MIN_COSINE, MAX_COSINE = 0.2, 0.75
"""Bounds of the cosine of a fact of another row. A nearer one may say the same."""

Row = Sequence[str]
Embed = Callable[[Sequence[str]], Any]
"""A function that returns the vectors of texts, shape (texts, dimensions), with norm 1."""


class LabelledPair(NamedTuple):
    """An older statement, a newer one, and how the newer one is related to it."""

    older: str
    newer: str
    label: int


@dataclass(frozen=True)
class Columns:
    """The columns of a kind of rows: changes, others, and how many facts of other rows each column meets."""

    changes: Sequence[int]
    others: Sequence[int]
    met: dict[int, int]


FACTS = (0, 1, 2)
RELATED = Columns([3], [4, 5], {3: 3, 4: 1, 5: 1, 1: 1})
"""Change, further fact, similar fact."""

STATEMENTS = Columns([4, 5], [3, 6, 7, 8, 9], {5: 4, 4: 2, 7: 2, 6: 1, 8: 1, 1: 1})
"""Fact like it, contradiction in like words, change in other words, details, side fact, intention, neighbour."""


def read(path: Path) -> list[Row]:
    """Return the rows of a file."""
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def pairs_of(rows: Sequence[Row], columns: Columns, embed: Embed, chance: random.Random) -> list[LabelledPair]:
    """Return the pairs that the rows of a file make."""
    return [*(pair for row in rows for pair in _within(row, columns, chance)), *_across(rows, columns, embed, chance)]


def _within(row: Row, columns: Columns, chance: random.Random) -> Iterator[LabelledPair]:
    facts = [row[at] for at in FACTS]
    first, second, third = facts
    for older, newer in ((first, second), (third, first), (second, third)):
        yield LabelledPair(older, newer, SAME)
    for at in columns.changes:
        for fact in facts:
            yield LabelledPair(fact, row[at], CHANGE)
        yield LabelledPair(row[at], first, CHANGE)
    for at in columns.others:
        yield _unrelated(first, row[at], chance)
        if chance.random() < 0.6:
            yield _unrelated(chance.choice(facts[1:]), row[at], chance)
    yield LabelledPair(row[columns.others[-2]], row[columns.others[0]], NEITHER)


def _unrelated(fact: str, other: str, chance: random.Random) -> LabelledPair:
    older, newer = (other, fact) if chance.random() < SWAPPED else (fact, other)
    return LabelledPair(older, newer, NEITHER)


def _across(rows: Sequence[Row], columns: Columns, embed: Embed, chance: random.Random) -> Iterator[LabelledPair]:
    """Yield statements with the nearest facts of other rows."""
    facts = [(number, row[at]) for number, row in enumerate(rows) for at in FACTS]
    owners = np.array([number for number, _ in facts])
    vectors = embed([text for _, text in facts])
    for at, count in columns.met.items():
        for number, cosines in enumerate(embed([row[at] for row in rows]) @ vectors.T):
            met = {number}
            for place in np.argsort(-cosines):
                if cosines[place] < MIN_COSINE or len(met) > count:
                    break
                if cosines[place] <= MAX_COSINE and owners[place] not in met:
                    met.add(int(owners[place]))
                    yield _unrelated(facts[place][1], rows[number][at], chance)
