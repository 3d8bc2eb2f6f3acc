"""Changes of a document's title and tags by hand."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from documents.chunking import context_of
from documents.drafts import checked_title
from documents.models import Chunk, Document
from documents.writing import journal
from documents.writing.chunks import delete_chunks
from documents.writing.copies import update_copies
from documents.writing.locking import lock_document
from memories.access import Actor
from memories.database import refuse_growth
from memories.tags import canonical_tags
from memories.vectors.index_queue import index_soon

INSERTED_AT_ONCE = 500


def change_document(
    actor: Actor, document_id: uuid.UUID, *, title: str | None = None, tags: Sequence[str] | None = None
) -> Document:
    """Give a document another title and other tags; None keeps them.

    A new title is searched at once by its words. By meaning the passages are found again when they are embedded with
    it. Raises NotFound, InvalidInput, SecretRejected and StorageFull.
    """
    refuse_growth()
    new_title = None if title is None else checked_title(title)
    new_tags = None if tags is None else list(actor.view.completed(canonical_tags(actor.view, tags)))
    with transaction.atomic():
        document = lock_document(actor, document_id)
        is_renamed = new_title is not None and new_title != document.title
        if not is_renamed and new_tags in (None, document.tags):
            return document
        before = journal.snapshot(document)
        if new_title is not None and is_renamed:
            document.title, document.is_title_given = new_title, True
        document.tags = document.tags if new_tags is None else new_tags
        document.updated_at = timezone.now()
        document.save(update_fields=["title", "is_title_given", "tags", "updated_at"])
        if is_renamed:
            replace_chunks(document)
        update_copies(document)
        journal.write_change(actor, journal.Operation.UPDATE, document.pk, before, journal.snapshot(document))
    return document


def replace_chunks(document: Document) -> None:
    """Replace the chunks by equal ones below the new title. Call it in a transaction.

    The database posts the words of chunks when they are inserted, and their vectors contain the title.
    """
    chunks = list(Chunk.objects.filter(document=document).order_by("number"))
    delete_chunks(document)
    for chunk in chunks:
        chunk.pk, chunk.context = None, context_of(document.title, chunk.heading)
    Chunk.objects.bulk_create(chunks, batch_size=INSERTED_AT_ONCE)
    transaction.on_commit(index_soon)
