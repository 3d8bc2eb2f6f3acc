"""The next small task for an assistant that tidies up, found without a language model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from django.db.models import F
from django.utils import timezone

from memories.access import Actor
from memories.cleanup.detection.ages import LONG_AGO, states_end
from memories.cleanup.detection.found import FindingKind
from memories.cleanup.stored_findings import open_findings
from memories.models import CleanupLine, Memory
from memories.vectors.duplicates import find_near_duplicates

MAX_MEMORIES = 5
"""Number of memories of one finding: a small task."""

State = CleanupLine.State


@dataclass(frozen=True, slots=True)
class Finding:
    """Memories that may need tidying up, and why."""

    kind: FindingKind
    memories: Sequence[Memory]
    reason: str


def next_finding(actor: Actor, skipped_ids: Collection[int] = ()) -> Finding | None:
    """Return the most useful finding about memories in view; None if there is nothing to tidy up.

    Memories in open lines of plans, in lines that the owner rejected, and `skipped_ids` are left out.
    """
    left_out = _decided_or_open(actor) | set(skipped_ids)
    return _duplicates(actor, left_out) or _past(actor, left_out) or _stored(actor, left_out)


def _stored(actor: Actor, left_out: Collection[int]) -> Finding | None:
    """Return the surest finding of the owner's last search that an assistant can do something about."""
    for kind in (FindingKind.CONTRADICTION, FindingKind.FRAGMENT):
        for found in open_findings(actor, kind, len(left_out) + 1):
            if not any(memory.pk in left_out for memory in found.memories):
                return Finding(kind, found.memories, found.reason)
    return None


def _decided_or_open(actor: Actor) -> set[int]:
    """Return the memories that are proposed to be changed, or that the owner does not want to change."""
    lines = CleanupLine.objects.filter(plan__owner_id=actor.owner_id, state__in=[State.OPEN, State.REJECTED])
    return {memory_id for ids in lines.values_list("memory_ids", flat=True) for memory_id in ids}


def _duplicates(actor: Actor, left_out: Collection[int]) -> Finding | None:
    """Return the strongest group of memories that say the same."""
    found = find_near_duplicates(actor.view, max_groups=len(left_out) + 1)
    for group in found.shown:
        memories = [memory for memory in group.memories if memory.pk not in left_out][:MAX_MEMORIES]
        if len(memories) > 1:
            return Finding(FindingKind.DUPLICATES, memories, "They seem to say the same.")
    return None


def _past(actor: Actor, left_out: Iterable[int]) -> Finding | None:
    """Return the memories that ended longest ago, and that nobody has confirmed since."""
    ended = Memory.objects.visible_to(actor.view).active().filter(valid_until__lt=timezone.now() - LONG_AGO)
    unconfirmed = ended.filter(last_confirmed_at__lte=F("valid_until")).exclude(pk__in=list(left_out))
    stated = (memory for memory in unconfirmed.order_by("valid_until", "pk").iterator(100) if states_end(memory))
    memories = list(islice(stated, MAX_MEMORIES))
    return Finding(FindingKind.PAST, memories, "The time for which they hold is over.") if memories else None
