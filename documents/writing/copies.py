"""The fields of documents that their chunks have copies of, so that a search needs no second table."""

from __future__ import annotations

from documents.models import Chunk, Document


def update_copies(document: Document) -> None:
    """Copy the fields of the document to its chunks. Call it in the transaction that changes them."""
    Chunk.objects.filter(document=document).update(
        source=document.source,
        tags=document.tags,
        created_at=document.updated_at,
        deleted_at=document.deleted_at,
        quarantined_from=document.quarantined_from,
    )
