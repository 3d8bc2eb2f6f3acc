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
    """Filter `entries` by memories whose text contains `wanted`, or with the id `#12`, titles of documents, and a tag.

    Two queries. Uses the index of the texts, so that it stays fast with any number of changes. Earlier texts are not
    searched.
    """
    wanted = wanted.strip()[:MAX_CHARS]
    number = wanted.removeprefix("#")
    if wanted.startswith("#") and number.isascii() and number.isdigit() and len(number) < 19:
        return entries.filter(memory_id=int(number))
    found = Memory.objects.visible_including_quarantined(view).filter(text__icontains=wanted)
    ids = list(found.order_by("-pk").values_list("pk", flat=True)[:MOST_FOUND])
    document_ids = documents().titled(view, wanted, limit=MOST_FOUND)
    return entries.filter(
        Q(memory_id__in=ids) | Q(document_id__in=document_ids) | Q(variant__isnull=False, variant=wanted.lower())
    )
