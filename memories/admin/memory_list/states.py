"""The states and other conditions that the list of memories can be narrowed to, as values of `is:`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from memories.models import Memory, MemoryQuerySet
from memories.undo.reversal import UNDONE_REASON
from memories.vectors.indexing import has_vector

ACTIVE = gettext_noop("active")
ALL = gettext_noop("all")

ADDITION_UNDONE = Q(forget_reason__isnull=False, forget_reason=UNDONE_REASON)
"""The condition of memories that were not forgotten: undoing their addition took them away."""


def _past(memories: MemoryQuerySet) -> MemoryQuerySet:
    current = memories.active().not_past(timezone.now())
    return memories.active().exclude(pk__in=current.order_by().values("pk"))


def _forgotten(memories: MemoryQuerySet) -> MemoryQuerySet:
    return memories.not_quarantined().forgotten().filter(replaced_by__isnull=True)


STATES: Mapping[str, Callable[[MemoryQuerySet], MemoryQuerySet]] = {
    ACTIVE: lambda memories: memories.active(),
    gettext_noop("pinned"): lambda memories: memories.active().filter(briefing_place=Memory.BriefingPlace.PINNED),
    gettext_noop("hidden"): lambda memories: memories.active().filter(briefing_place=Memory.BriefingPlace.HIDDEN),
    gettext_noop("expiring"): lambda memories: memories.active().filter(expires_at__isnull=False),
    gettext_noop("inferred"): lambda memories: memories.active().filter(capture_mode=Memory.CaptureMode.INFERRED),
    gettext_noop("past"): _past,
    gettext_noop("expired"): lambda memories: memories.not_quarantined().not_deleted().expired(),
    gettext_noop("forgotten"): lambda memories: _forgotten(memories).exclude(ADDITION_UNDONE),
    gettext_noop("replaced"): lambda memories: memories.not_quarantined().forgotten().filter(replaced_by__isnull=False),
    gettext_noop("undone"): lambda memories: _forgotten(memories).filter(ADDITION_UNDONE),
    gettext_noop("inbox"): lambda memories: memories.awaiting_review(),
    gettext_noop("withdrawn"): lambda memories: memories.forgotten().filter(quarantined_from__isnull=False),
    gettext_noop("pending"): lambda memories: memories.not_quarantined().not_deleted().filter(~has_vector()),
    ALL: lambda memories: memories,
}
"""By value of `is:`: the memories that it selects. The first is the default."""
