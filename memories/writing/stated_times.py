"""Reading of the times that memories state which were stored by a version that did not read them."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from memories.access import View
from memories.drafts import stated_times
from memories.models import JournalEntry, Memory

BATCH_SIZE = 500
"""Number of memories that are read at a time."""


def read_missing_times(view: View) -> Iterator[int]:
    """Read the times of all memories that have none. Yield after each batch how many in it got some.

    Every change is a transaction of its own: it can be interrupted and run again, beside the server. A memory whose
    text changes meanwhile is left out. The journal has no entry, because nothing was said.
    """
    entries = JournalEntry.objects.filter(owner_id=view.owner_id, memory_id=OuterRef("pk"), after__has_key="text")
    said_at = Coalesce(Subquery(entries.exclude(operation="remember").order_by("-pk").values("at")[:1]), "created_at")
    everything = Memory.objects.visible_including_quarantined(view)
    without = everything.filter(named_days=None, valid_from=None, valid_until=None).annotate(said_at=said_at)
    after_id = 0
    while batch := list(without.filter(pk__gt=after_id).order_by("pk")[:BATCH_SIZE]):
        after_id = batch[-1].pk
        yield sum(_read_times(view, memory) for memory in batch)


def _read_times(view: View, memory: Memory) -> int:
    """Store the times of one memory. Return 1 if it has any, else 0."""
    times = stated_times(memory.text, memory.said_at)  # type: ignore[attr-defined]  # annotated
    if times == (None, None, None):
        return 0
    unchanged = Memory.objects.visible_including_quarantined(view).filter(pk=memory.pk, text_hash=memory.text_hash)
    valid_from, valid_until, named_days = times
    return unchanged.filter(named_days=None).update(
        valid_from=valid_from, valid_until=valid_until, named_days=named_days
    )
