"""Locks of documents that are about to change."""

from __future__ import annotations

import uuid
from collections.abc import Collection

from django.utils.translation import gettext

from documents.models import Document
from memories.access import Actor
from memories.errors import NotFound


def lock_document(actor: Actor, document_id: uuid.UUID) -> Document:
    """Return a document that `actor` may change, locked until the transaction ends. Raises NotFound."""
    document = Document.objects.changeable_by(actor).select_for_update().filter(pk=document_id).first()
    if document is None:
        raise NotFound(gettext("There is no document with id %(document_id)s.") % {"document_id": document_id})
    return document


def lock_documents(actor: Actor, document_ids: Collection[uuid.UUID]) -> list[Document]:
    """Lock those of the documents that `actor` may change, until the transaction ends. Return them by id."""
    # Locked in id order: two calls with the same ids in a different order would deadlock.
    found = Document.objects.changeable_by(actor).filter(pk__in=document_ids).order_by("pk")
    return list(found.defer("metadata").select_for_update())
