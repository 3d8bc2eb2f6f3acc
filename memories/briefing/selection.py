"""The choice of memories for a briefing: important, often recalled, recently confirmed and upcoming ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memories.access import View
from memories.models import Memory, PastRecall
from memories.models.memory import MemoryQuerySet
from memories.vectors.indexing import stored_vectors
from memories.vectors.near_pairs import Windows, near_pairs
from memories.vectors.neighbours import NEAR_DUPLICATE_COSINE

POOL = 60
"""Number of memories that each reason contributes."""

RECENT_RECALLS = 200
"""Number of the owner's last recalls in which the matches are counted."""

UPCOMING_DAYS = 14
"""A memory that expires within this time is about something that is still to come."""

FRESHNESS_HALF_LIFE_DAYS = 90.0
IMPORTANCE, RECALLED, FRESHNESS, UPCOMING, EXPLICIT = 0.4, 0.3, 0.2, 0.3, 0.1
"""Weights of the reasons. An app that gives all of its memories the highest importance gains 0.2 over the default."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons for a memory to be in a briefing, each 0–1."""

    importance: float
    recalled: float
    freshness: float
    upcoming: float
    explicit: float

    @property
    def weight(self) -> float:
        """Their weighted sum."""
        return (
            IMPORTANCE * self.importance
            + RECALLED * self.recalled
            + FRESHNESS * self.freshness
            + UPCOMING * self.upcoming
            + EXPLICIT * self.explicit
        )


def select_memories(
    view: View, day: datetime, tags: Sequence[str] | None = None, session_id: str | None = None
) -> list[Memory]:
    """Return memories for a briefing, most useful first, without near-duplicates.

    `day` is the beginning of the current day: within a day, the same memories give the same order. `tags` are
    canonical; None for no restriction. Takes at most eight queries.
    """
    recalls = _recall_counts(view)
    active = Memory.objects.visible_to(view).active()
    if tags is not None:
        active = active.filter(tags__overlap=list(tags))
    if session_id is not None:
        active = active.filter(session_id=session_id)
    soon = day + timedelta(days=UPCOMING_DAYS)
    pool: dict[int, Memory] = {}
    for memories in (
        active.order_by("-importance", "-last_confirmed_at", "-pk")[:POOL],
        active.order_by("-last_confirmed_at", "-pk")[:POOL],
        active.filter(expires_at__lte=soon).order_by("expires_at", "pk")[:POOL],
        active.filter(pk__in=_most_recalled(active, recalls)),
    ):
        pool |= {memory.pk: memory for memory in memories}
    weights = {pk: _reasons(memory, recalls, day, soon).weight for pk, memory in pool.items()}
    ordered = sorted(pool.values(), key=lambda memory: (-weights[memory.pk], memory.pk))
    return _without_near_duplicates(view, ordered)


def _recall_counts(view: View) -> Counter[int]:
    """Return in how many of the owner's last recalls each memory was a match."""
    last = PastRecall.objects.filter(owner_id=view.owner_id).order_by("-at", "-pk")
    matches: Iterable[Sequence[Mapping[str, int]]] = last.values_list("matches", flat=True)[:RECENT_RECALLS]
    return Counter(match["id"] for found in matches for match in found)


def _most_recalled(active: MemoryQuerySet, recalls: Mapping[int, int]) -> list[int]:
    """Return the ids of the most recalled memories. Memories outside the view take no place among them."""
    visible = active.filter(pk__in=list(recalls)).values_list("pk", flat=True) if recalls else []
    return sorted(visible, key=lambda pk: (-recalls[pk], pk))[:POOL]


def _reasons(memory: Memory, recalls: Mapping[int, int], day: datetime, soon: datetime) -> Reasons:
    age_days = max((day - memory.last_confirmed_at).total_seconds() / 86_400, 0.0)
    return Reasons(
        importance=memory.importance,
        # The first recalls count most: a fact of daily use need not be recalled a hundred times.
        recalled=min(math.log2(1 + recalls.get(memory.pk, 0)) / 4, 1.0),
        freshness=0.5 ** (age_days / FRESHNESS_HALF_LIFE_DAYS),
        upcoming=float(memory.expires_at is not None and memory.expires_at <= soon),
        explicit=float(memory.capture_mode == Memory.CaptureMode.EXPLICIT),
    )


def _without_near_duplicates(view: View, ordered: Sequence[Memory]) -> list[Memory]:
    """Return the memories without those that are near-duplicates of an earlier one. Those without vectors stay."""
    vectors = stored_vectors(view.owner_id, ordered)
    embedded = [memory for memory in ordered if memory.pk in vectors]
    if len(embedded) < 2:
        return list(ordered)
    windows = Windows.of_texts([vectors[memory.pk].windows for memory in embedded])
    repeated = {embedded[later].pk for later, _ in near_pairs(windows, NEAR_DUPLICATE_COSINE)}
    return [memory for memory in ordered if memory.pk not in repeated]
