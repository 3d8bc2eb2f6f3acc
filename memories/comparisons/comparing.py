"""Comparison of a text with the memories nearest to it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memories.access import View
from memories.comparisons.cross_encoder import read
from memories.comparisons.judging import (
    is_change,
    is_possible_change,
    is_readable,
    is_repeat,
    is_unaffected,
    may_be_related,
)
from memories.corpus import ACTIVE_CONDITION
from memories.embeddings.base import SHIPPED_MODELS
from memories.errors import EmbeddingError
from memories.models import Memory
from memories.relations.containment import is_contained
from memories.vectors.nearest import Selection, nearest_items
from memories.vectors.spaces import TextVectors, space_in_use

COMPARED = 4
"""Number of the nearest memories that are compared. In `benchmarks/week.py`, 98 of 111 outdated facts are among them,
and 103 among six. Each takes some 4 ms."""


class NearMemory(NamedTuple):
    """A memory near a text, and its cosine to it."""

    memory: Memory
    cosine: float


@dataclass(frozen=True, slots=True)
class Compared:
    """The memories to which a text is related, nearest first.

    - `changes`: those that cannot be current at the same time as the text.
    - `possible_changes`: those for which this is possible, the most probable ones first.
    - `repeats`: those that say the same, or the same and more.
    - `unaffected`: those that stay true, even if the text says that something has changed.
    """

    changes: Sequence[NearMemory] = ()
    possible_changes: Sequence[NearMemory] = ()
    repeats: Sequence[NearMemory] = ()
    unaffected: Sequence[NearMemory] = ()


def compared_space_id() -> int | None:
    """Return the id of the space in use if memories in it are compared: if its model comes with OwnSona.

    Cosines of other models have another scale. Returns None as well while there is no embedder.
    """
    try:
        space = space_in_use()
        return space.pk if space.embedder.space.model in SHIPPED_MODELS else None
    except EmbeddingError:
        return None


def near_memories(view: View, vectors: TextVectors, count: int, least: float) -> list[NearMemory]:
    """Return the active memories of the view nearest to a text, with a cosine of at least `least`.

    Takes the queries of a search, and one more if any is near. A long text says at its beginning what it is about.
    """
    nearest = nearest_items(Selection(view, ACTIVE_CONDITION), vectors.space_id, vectors.windows[0], count)
    near = [each for each in nearest if each.similarity >= least]
    memories = Memory.objects.visible_to(view).in_bulk([each.item_id for each in near]) if near else {}
    return [NearMemory(memories[pk], cosine) for pk, cosine in near if pk in memories]


def compare(text: str, confirmed_at: datetime, near: Iterable[NearMemory]) -> Compared:
    """Return how the memories nearest to a text are related to it. `confirmed_at` is the time of its confirmation.

    Reading a pair takes so long that `near` should contain only memories whose relation the caller uses. Raises
    EmbeddingError if the network cannot be loaded.
    """
    if not is_readable(text):
        return Compared()
    near = list(near)
    containing = [each for each in near if is_contained(text, each.memory.text, each.cosine)]
    others = (each for each in near if each not in containing and may_be_related(text, each.memory.text))
    readable = list(itertools.islice(others, COMPARED))
    if not readable:
        return Compared(repeats=containing)
    pairs = [
        (text, each.memory.text) if each.memory.last_confirmed_at > confirmed_at else (each.memory.text, text)
        for each in readable
    ]
    readings = list(zip(readable, read(pairs), strict=True))
    by_probability = sorted(readings, key=lambda each: -each[1].change)
    return Compared(
        [near for near, reading in readings if is_change(near.cosine, reading)],
        [near for near, reading in by_probability if is_possible_change(near.cosine, reading)],
        [*containing, *(near for near, reading in readings if is_repeat(text, near.memory.text, near.cosine, reading))],
        [near for near, reading in readings if is_unaffected(reading)],
    )
