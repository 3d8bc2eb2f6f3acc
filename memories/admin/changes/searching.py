"""Searching the journal: the memories and documents whose changes the owner looks for."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from memories.access import View
from memories.models import JournalEntry, Memory
from memories.undo.documents import documents

MOST_FOUND = 500
"""The most memories, and documents, whose changes are shown for a search, newest first."""

MAX_CHARS = 200


def changes_of_found(view: View, entries: QuerySet[JournalEntry], wanted: str) -> QuerySet[JournalEntry]:
    """Filter `entries` by memories whose text contains or contained `wanted`, or with the id `#12`, by titles of
    documents, and by a tag. Two queries.
    """
    wanted = wanted.strip()[:MAX_CHARS]
    number = wanted.removeprefix("#")
    if wanted.startswith("#") and number.isascii() and number.isdigit() and len(number) < 19:
        return entries.filter(memory_id=int(number))
    visible = Memory.objects.visible_including_quarantined(view)
    found = visible.filter(text__icontains=wanted).order_by("-pk").values_list("pk", flat=True)[:MOST_FOUND]
    changed = JournalEntry.objects.filter(owner_id=view.owner_id, operation=JournalEntry.Operation.UPDATE)
    earlier = changed.filter(before__text__icontains=wanted).order_by("-pk").values_list("memory_id", flat=True)
    ids = list(found.union(earlier[:MOST_FOUND]))
    document_ids = documents().titled(view, wanted, limit=MOST_FOUND)
    return entries.filter(
        Q(memory_id__in=ids) | Q(document_id__in=document_ids) | Q(variant__isnull=False, variant=wanted.lower())
    )
