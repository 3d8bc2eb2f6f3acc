"""Deletion of chunks, in the transactions that replace or delete their documents."""

from __future__ import annotations

from documents.models import Chunk, Document


def delete_chunks(document: Document) -> None:
    """Delete the chunks of a document with their vectors and words. Call it in a transaction."""
    chunks = Chunk.objects.filter(document=document)
    # Locked first: otherwise indexing could add a vector after the vectors were deleted and before its chunk is.
    list(chunks.order_by("pk").select_for_update().values_list("pk", flat=True))
    chunks.delete()
