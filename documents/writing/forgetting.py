"""Forgetting, restoring and deleting documents."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from documents.models import Chunk, Document
from documents.originals import delete_unused_originals
from documents.writing import journal
from documents.writing.chunks import delete_chunks
from documents.writing.copies import update_copies
from documents.writing.locking import lock_document
from memories.access import Actor
from memories.database import among_uuids
from memories.drafts import checked_reason
from memories.errors import InvalidInput
from memories.models import JournalEntry
from memories.writing.journal import write


@dataclass(frozen=True, slots=True)
class ForgetOutcome:
    """The document, and whether it was forgotten already."""

    document: Document
    already_deleted: bool


def forget_document(
    actor: Actor, document_id: uuid.UUID, *, reason: str | None = None, dry_run: bool = False
) -> ForgetOutcome:
    """Forget a document: no search finds it, and the owner can restore it. Raises NotFound."""
    reason = checked_reason(reason)
    with transaction.atomic():
        document = lock_document(actor, document_id)
        already_deleted = document.deleted_at is not None
        if not dry_run:
            before = journal.snapshot(document)
            document.deleted_at = document.deleted_at or timezone.now()
            document.forget_reason = reason if reason is not None else document.forget_reason
            document.save(update_fields=["deleted_at", "forget_reason"])
            update_copies(document)
            is_rejected = actor.is_owner and document.quarantined_from is not None
            operation = journal.Operation.REJECT if is_rejected else journal.Operation.FORGET
            journal.write_change(actor, operation, document.pk, before, journal.snapshot(document))
    return ForgetOutcome(document, already_deleted)


def forget_documents_of(actor: Actor, source: str, *, reason: str) -> int:
    """Forget all documents of a source at once, and return their number. The owner can restore each of them."""
    now, reason = timezone.now(), checked_reason(reason) or ""
    with transaction.atomic():
        active = Document.objects.changeable_by(actor).not_deleted().filter(source=source).select_for_update()
        documents = list(active.order_by("pk").defer("metadata"))
        before = {document.pk: journal.snapshot(document) for document in documents}
        ids = list(before)
        Document.objects.filter(pk__in=among_uuids(ids)).update(deleted_at=now, forget_reason=reason)
        Chunk.objects.filter(document__in=among_uuids(ids)).update(deleted_at=now)
        for document in documents:
            document.deleted_at, document.forget_reason = now, reason
        write(
            journal.entry(actor, journal.Operation.FORGET, each.pk, before[each.pk], journal.snapshot(each))
            for each in documents
        )
    return len(ids)


def restore_document(actor: Actor, document_id: uuid.UUID) -> None:
    """Restore a forgotten document. Raises NotFound, and InvalidInput if it is not forgotten or was added again."""
    with transaction.atomic():
        document = lock_document(actor, document_id)
        if document.deleted_at is None:
            raise InvalidInput(gettext("Document %(document_id)s is not forgotten.") % {"document_id": document_id})
        others = Document.objects.not_deleted().filter(
            owner_id=document.owner_id, source=document.source, source_key=document.source_key, quarantined_from=None
        )
        if document.quarantined_from is None and others.exists():
            raise InvalidInput(gettext("The document has been added again since it was forgotten."))
        before = journal.snapshot(document)
        document.deleted_at = document.forget_reason = None
        document.save(update_fields=["deleted_at", "forget_reason"])
        update_copies(document)
        journal.write_change(actor, journal.Operation.RESTORE, document.pk, before, journal.snapshot(document))


def hard_delete_document(actor: Actor, document_id: uuid.UUID, *, dry_run: bool = False) -> ForgetOutcome:
    """Delete a document with its versions, chunks, vectors, words, originals and history. Raises NotFound.

    One journal entry without content records that this happened.
    """
    with transaction.atomic():
        document = lock_document(actor, document_id)
        outcome = ForgetOutcome(document, document.deleted_at is not None)
        if not dry_run:
            delete_chunks(document)
            JournalEntry.objects.filter(owner_id=actor.owner_id, document_id=document.pk).delete()
            write([journal.hard_delete_entry(actor, document)])
            Document.objects.filter(pk=document.pk).delete()
            delete_unused_originals(actor.owner_id)
    return outcome
