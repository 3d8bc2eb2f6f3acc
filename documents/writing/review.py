"""The owner's acceptance of documents that apps have added. Rejecting one is forgetting it."""

from __future__ import annotations

import uuid

from django.db import transaction

from common.advisory_locks import AdvisoryLock, lock_until_commit
from documents.models import Document, DocumentQuerySet, Version
from documents.originals import delete_unused_originals
from documents.queue import read_soon
from documents.writing.chunks import delete_chunks
from documents.writing.copies import update_copies
from documents.writing.locking import lock_document
from memories.access import Actor, View
from memories.errors import InvalidInput, NotFound
from memories.validation.text import MAX_TAGS


def awaiting_review(view: View) -> DocumentQuerySet:
    """Select the documents that apps have added and that await the review of the owner of `view`."""
    return Document.objects.visible_including_quarantined(view).not_deleted().filter(quarantined_from__isnull=False)


def accept_document(actor: Actor, document_id: uuid.UUID) -> Document:
    """Let apps search a document in quarantine. Return it, or the one that has taken its place.

    If the owner has a document with its key already, that one gets its tags and its content, as a new version if it is
    another one, and the accepted document is deleted. Raises NotFound, and InvalidInput if it does not await review.
    """
    if not actor.is_owner:
        raise NotFound("Only the owner can accept documents.")
    with transaction.atomic():
        # The order in which adding documents locks.
        lock_until_commit(AdvisoryLock.DOCUMENT_ADDING, actor.owner_id)
        document = lock_document(actor, document_id)
        if document.quarantined_from is None or document.deleted_at is not None:
            raise InvalidInput("The document does not await review.")
        known = _with_key_of(document)
        if known is not None:
            _merge(document, known)
            return known
        document.quarantined_from = None
        document.save(update_fields=["quarantined_from"])
        update_copies(document)
    return document


def _with_key_of(document: Document) -> Document | None:
    """Return the locked document that the key of a quarantined one belongs to, if there is one."""
    return (
        Document.objects.not_deleted()
        .filter(
            owner_id=document.owner_id,
            source=document.source,
            source_key=document.source_key,
            quarantined_from=None,
        )
        .select_for_update()
        .first()
    )


def _merge(document: Document, known: Document) -> None:
    """Add the tags and the newest content of `document` to `known`, and delete it."""
    known.tags = list(dict.fromkeys([*known.tags, *document.tags]))[:MAX_TAGS]
    known.save(update_fields=["tags"])
    update_copies(known)
    added = document.versions.order_by("-number").defer("text").first()
    newest = known.versions.order_by("-number").defer("text").first()
    if added is not None and (newest is None or added.original_id != newest.original_id):
        Version.objects.create(
            document=known,
            number=newest.number + 1 if newest else 1,
            original_id=added.original_id,
            file_name=added.file_name,
            state=Version.State.QUEUED,
        )
        transaction.on_commit(read_soon)
    delete_chunks(document)
    Document.objects.filter(pk=document.pk).delete()
    delete_unused_originals(document.owner_id)
