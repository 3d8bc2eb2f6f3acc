"""The chunks of an archive as rows."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from documents.archive.lists import CHUNK_LIST, CHUNKS
from documents.models import Chunk, Document, Version
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.restoration import Restoration


def chunk_rows(restoration: Restoration, documents: Mapping[uuid.UUID, Document]) -> Iterator[Chunk]:
    """Yield the unsaved chunks of `documents`, which are given by their former ids. Raises UnusableArchive.

    The chunks of a document follow each other.
    """
    version_id, text = None, ""
    for record in restoration.archive.records(CHUNK_LIST):
        values = CHUNKS.values_of(record)
        if set(CHUNKS.names) != set(values):
            raise UnusableArchive("A passage of a document is incomplete.")
        document = documents.get(values.pop("document_id"))
        if document is None:
            continue
        current_id = document.current_id
        if current_id is None:
            raise UnusableArchive("A document has passages, but no current version.")
        if current_id != version_id:
            version_id = current_id
            text = Version.objects.values_list("text", flat=True).get(pk=version_id)
        yield _row(document, current_id, text, values)


def _row(document: Document, version_id: int, text: str, values: dict[str, Any]) -> Chunk:
    return Chunk(
        owner_id=document.owner_id,
        document=document,
        version_id=version_id,
        text=text[values["start_char"] : values["end_char"]],
        source=document.source,
        tags=document.tags,
        created_at=document.updated_at,
        deleted_at=document.deleted_at,
        quarantined_from=document.quarantined_from,
        **values,
    )
