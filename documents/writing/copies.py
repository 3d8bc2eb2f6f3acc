"""The fields of documents that their chunks have copies of, so that a search needs no second table."""

from __future__ import annotations

import uuid
from collections.abc import Collection

from documents.models import Chunk, Document
from memories.database import fetch_rows

_COPY = """
WITH copied AS (
    UPDATE documents_chunk AS chunk
    SET source = document.source, tags = document.tags, created_at = document.updated_at,
        deleted_at = document.deleted_at, quarantined_from = document.quarantined_from
    FROM documents_document AS document WHERE document.id = ANY (%(ids)s::uuid[]) AND chunk.document_id = document.id
    RETURNING 1
)
SELECT count(*) FROM copied
"""


def update_copies(document: Document) -> None:
    """Copy the fields of the document to its chunks. Call it in the transaction that changes them."""
    Chunk.objects.filter(document=document).update(
        source=document.source,
        tags=document.tags,
        created_at=document.updated_at,
        deleted_at=document.deleted_at,
        quarantined_from=document.quarantined_from,
    )


def update_copies_of(document_ids: Collection[uuid.UUID]) -> None:
    """Copy the fields of stored documents to their chunks, as `update_copies` does. One query."""
    if document_ids:
        fetch_rows(_COPY, {"ids": list(document_ids)})
