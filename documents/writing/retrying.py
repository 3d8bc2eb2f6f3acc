"""Another attempt to read a document from which nothing could be read."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.utils.translation import gettext

from documents.models import Document, Version
from documents.queue import read_soon
from documents.writing.locking import lock_document
from memories.access import Actor
from memories.errors import InvalidInput


def is_retryable(version: Version, *, has_text: bool) -> bool:
    """Return whether reading may give more than it did, such as after tesseract was installed."""
    return version.state == Version.State.FAILED or (version.state == Version.State.READY and not has_text)


def retry_reading(actor: Actor, document_id: uuid.UUID) -> None:
    """Queue the newest version again. Raises NotFound, and InvalidInput if it is queued or its text was read."""
    with transaction.atomic():
        document = lock_document(actor, document_id)
        version = document.versions.select_for_update().order_by("-number").first()
        if version is None or not is_retryable(version, has_text=bool(version.text)):
            raise InvalidInput(gettext("Only a document from which nothing could be read can be read again."))
        version.state, version.problem, version.is_final, version.notes = Version.State.QUEUED, "", False, []
        version.save(update_fields=["state", "problem", "is_final", "notes"])
        # Only a version that is newer than the current one becomes current.
        Document.objects.filter(pk=document.pk, current=version).update(current=None)
        transaction.on_commit(read_soon)
