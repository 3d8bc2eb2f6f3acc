"""The states and other conditions that the list of memories can be narrowed to, as values of `is:`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils import timezone

from memories.models import Memory, MemoryQuerySet
from memories.vectors.indexing import has_vector

ACTIVE = "active"


def _past(memories: MemoryQuerySet) -> MemoryQuerySet:
    current = memories.active().not_past(timezone.now())
    return memories.active().exclude(pk__in=current.order_by().values("pk"))


STATES: Mapping[str, Callable[[MemoryQuerySet], MemoryQuerySet]] = {
    ACTIVE: lambda memories: memories.active(),
    "pinned": lambda memories: memories.active().filter(briefing_place=Memory.BriefingPlace.PINNED),
    "hidden": lambda memories: memories.active().filter(briefing_place=Memory.BriefingPlace.HIDDEN),
    "expiring": lambda memories: memories.active().filter(expires_at__isnull=False),
    "inferred": lambda memories: memories.active().filter(capture_mode=Memory.CaptureMode.INFERRED),
    "past": _past,
    "expired": lambda memories: memories.not_quarantined().not_deleted().expired(),
    "forgotten": lambda memories: memories.not_quarantined().forgotten(),
    "replaced": lambda memories: memories.not_quarantined().forgotten().filter(replaced_by__isnull=False),
    "inbox": lambda memories: memories.awaiting_review(),
    "withdrawn": lambda memories: memories.forgotten().filter(quarantined_from__isnull=False),
    "pending": lambda memories: memories.not_quarantined().not_deleted().filter(~has_vector()),
    "all": lambda memories: memories,
}
"""By value of `is:`: the memories that it selects. The first is the default."""
