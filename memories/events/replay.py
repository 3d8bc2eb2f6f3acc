"""Changes that a subscriber missed, reconstructed from the journal."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from memories.access import View
from memories.events.changes import Change, digests
from memories.models import JournalEntry, Memory

MAX_ENTRIES = 1000
"""Number of journal entries that are read back."""


def changes_since(view: View, moment: datetime) -> list[Change] | None:
    """Return one change for each memory of `view` that changed at `moment` or later; None if there are too many.

    The state before is unknown, so a change is reported as an appearance or, if the memory is no longer active, as a
    disappearance. Expiry is a change, too. Memories that are quarantined, or were deleted in quarantine, are not
    reported. Three queries.
    """
    newest = list(JournalEntry.objects.filter(owner_id=view.owner_id).order_by("-pk")[:MAX_ENTRIES])
    entries = [entry for entry in newest if entry.at >= moment and not _ended_in_quarantine(entry)]
    recent = {entry.memory_id for entry in entries if entry.memory_id is not None}
    expired = Memory.objects.visible_to(view).not_deleted().expired().filter(expires_at__gte=moment)[:MAX_ENTRIES]
    recent.update(memory.pk for memory in expired)
    if len(expired) == MAX_ENTRIES or (recent and len(newest) == MAX_ENTRIES and newest[-1].at >= moment):
        return None
    found = {memory.pk: memory for memory in Memory.objects.visible_including_quarantined(view).filter(pk__in=recent)}
    waiting = {memory.pk for memory in found.values() if memory.quarantined_from is not None}
    return [_change(view, memory_id, found.get(memory_id)) for memory_id in sorted(recent - waiting)]


def _ended_in_quarantine(entry: JournalEntry) -> bool:
    return entry.operation == JournalEntry.Operation.HARD_DELETE and "quarantined_from" in entry.before


def _change(view: View, memory_id: int, memory: Memory | None) -> Change:
    if memory is None:
        return Change(view.owner_id, memory_id, before=frozenset(), after=None)
    tags = digests(memory.tags)
    if memory.deleted_at is not None or (memory.expires_at is not None and memory.expires_at <= timezone.now()):
        return Change(view.owner_id, memory_id, before=tags, after=None)
    return Change(view.owner_id, memory_id, before=None, after=tags)
