"""The change set of an import of an archive: an entry for each memory and document that it stored, to undo it."""

from __future__ import annotations

from memories.database import among
from memories.models import JournalEntry, Memory
from memories.transfer.archive.restoration import Restoration
from memories.transfer.batches import batches
from memories.undo.documents import documents
from memories.writing import journal

_BATCH = 1_000


def journal_import(restoration: Restoration) -> None:
    """Add the import to the history of the memories and documents that it stored, after what the archive says of them.

    Tombstones are left out: undoing the import would not change them.
    """
    actor = restoration.actor
    mine = Memory.objects.visible_including_quarantined(actor.view).not_deleted()
    for ids in batches(restoration.memory_ids.restored(), _BATCH):
        memories = mine.filter(pk__in=among(ids)).order_by("pk")
        journal.write(journal.first_entry(actor, JournalEntry.Operation.REMEMBER, memory) for memory in memories)
    documents().write_first_entries(actor, restoration.document_ids.restored.values())
