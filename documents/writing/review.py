"""The owner's acceptance of documents that apps have added. Rejecting one is forgetting it."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from common.advisory_locks import AdvisoryLock, lock_until_commit
from documents.models import Document, DocumentQuerySet, Version
from documents.queue import read_soon
from documents.writing import journal
from documents.writing.copies import update_copies
from documents.writing.journal import Operation
from documents.writing.locking import lock_document
from memories.access import Actor, View
from memories.errors import InvalidInput, NotFound
from memories.validation.text import MAX_TAGS

ACCEPTED_REASON = "You accepted it, and it became a version of the document that you had."


def awaiting_review(view: View) -> DocumentQuerySet:
    """Select the documents that apps have added and that await the review of the owner of `view`."""
    return Document.objects.visible_including_quarantined(view).not_deleted().filter(quarantined_from__isnull=False)


def accept_document(actor: Actor, document_id: uuid.UUID) -> Document:
    """Let apps search a document in quarantine. Return it, or the one that has taken its place.

    If the owner has a document with its key already, that one gets its tags and its content, as a new version if it is
    another one, and the accepted document is forgotten. Raises NotFound, and InvalidInput if it does not await review.
    """
    if not actor.is_owner:
        raise NotFound(gettext("Only the owner can accept documents."))
    with transaction.atomic():
        # The order in which adding documents locks.
        lock_until_commit(AdvisoryLock.DOCUMENT_ADDING, actor.owner_id)
        document = lock_document(actor, document_id)
        if document.quarantined_from is None or document.deleted_at is not None:
            raise InvalidInput(gettext("The document does not await review."))
        known = _with_key_of(document)
        if known is not None:
            _merge(actor, document, known)
            return known
        before = journal.snapshot(document)
        document.quarantined_from = None
        document.save(update_fields=["quarantined_from"])
        update_copies(document)
        journal.write_change(actor, Operation.ACCEPT, document.pk, before, journal.snapshot(document))
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


def _merge(actor: Actor, document: Document, known: Document) -> None:
    """Add the tags and the newest content of `document` to `known`, and forget it, so that this can be undone."""
    added, newest = _newest_version(document), _newest_version(known)
    before = journal.snapshot(known, newest.original if newest else None)
    known.tags = list(dict.fromkeys([*known.tags, *document.tags]))[:MAX_TAGS]
    known.save(update_fields=["tags"])
    update_copies(known)
    if added is not None and (newest is None or added.original_id != newest.original_id):
        Version.objects.create(
            document=known,
            number=newest.number + 1 if newest else 1,
            original_id=added.original_id,
            file_name=added.file_name,
            state=Version.State.QUEUED,
        )
        transaction.on_commit(read_soon)
    after = journal.snapshot(known, added.original if added else None)
    journal.write_change(actor, Operation.UPDATE, known.pk, before, after)
    before = journal.snapshot(document)
    document.deleted_at, document.forget_reason = timezone.now(), ACCEPTED_REASON
    document.save(update_fields=["deleted_at", "forget_reason"])
    update_copies(document)
    journal.write_change(actor, Operation.ACCEPT, document.pk, before, journal.snapshot(document))


def _newest_version(document: Document) -> Version | None:
    return document.versions.select_related("original").order_by("-number").defer("text").first()
