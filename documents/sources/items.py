"""Documents of items: stored, refused and forgotten, each together with the state of its item."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from enum import Enum
from io import BytesIO

from django.db import transaction

from common.texts import translatable
from documents.connectors.base import SourceItem
from documents.drafts import DocumentDraft
from documents.extraction.media_types import COMMA_SEPARATED, HTML, JSON, MARKDOWN
from documents.models import Document, Source, SourceItemState
from documents.writing.adding import add_document
from documents.writing.forgetting import forget_document, restore_document
from memories.access import Actor, View
from memories.errors import InvalidInput, MemoriesError, NotFound
from memories.queries.clients import SOURCE_CLIENT

_EXTENSIONS = {
    HTML: (".html", ".htm", ".xhtml"),
    "application/xhtml+xml": (".xhtml", ".html"),
    MARKDOWN: (".md", ".markdown"),
    COMMA_SEPARATED: (".csv",),
    JSON: (".json",),
}
"""By media type: the extensions of its files, the one to add first."""


class Change(Enum):
    """Effects of an item on the documents."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


def actor_of(source: Source) -> Actor:
    """Return the owner as the actor of a sync. All changes of one sync are made by one actor: they are a change set."""
    return Actor(View.whole(source.owner_id), f"{SOURCE_CLIENT}{source.name}", is_owner=True)


def store_item(actor: Actor, source: Source, item: SourceItem, content: bytes, state: SourceItemState) -> Change:
    """Store the content as a document or a new version of it, unless it is known or the owner has forgotten it.

    The document and the state are stored together, so a sync that is killed continues without duplicates. Raises the
    errors of `add_document`.
    """
    content_hash = hashlib.sha256(content).digest()
    with transaction.atomic():
        document = _document_of(state)
        is_active = document is not None and document.deleted_at is None
        is_known = is_active and bytes(state.content_hash) == content_hash
        change = Change.UNCHANGED
        if is_active:
            # The owner may have restored it.
            state.is_forgotten_by_sync = False
        if not is_known and not _is_forgotten_by_owner(state, document):
            change = _add(actor, source, item, content, state, document=document)
        state.fingerprint, state.content_hash, state.problem = item.fingerprint, content_hash, ""
        state.save()
    return change


def refuse_item(actor: Actor, source: Source, item: SourceItem, why: str, state: SourceItemState) -> None:
    """Record that the content cannot be stored, and forget the document with the earlier content."""
    with transaction.atomic():
        _forget(
            actor, state, translatable("Its new content in the source “%(name)s” cannot be stored.", name=source.name)
        )
        state.fingerprint, state.problem = item.fingerprint, why
        state.save()


def forget_item(actor: Actor, source: Source, state: SourceItemState) -> bool:
    """Forget the document of an item that is gone from the source, and return whether it was active."""
    with transaction.atomic():
        is_forgotten = _forget(actor, state, translatable("It is gone from the source “%(name)s”.", name=source.name))
        if state.content_hash:
            state.fingerprint = ""
            state.save()
        else:
            state.delete()
    return is_forgotten


def _document_of(state: SourceItemState) -> Document | None:
    """Return the document, locked: the owner must not forget it while a version is added."""
    return Document.objects.select_for_update().filter(pk=state.document_id).first() if state.document_id else None


def _is_forgotten_by_owner(state: SourceItemState, document: Document | None) -> bool:
    was_stored = bool(state.content_hash)
    return was_stored and not state.is_forgotten_by_sync and (document is None or document.deleted_at is not None)


def _add(
    actor: Actor,
    source: Source,
    item: SourceItem,
    content: bytes,
    state: SourceItemState,
    *,
    document: Document | None,
) -> Change:
    if document is not None and document.deleted_at is not None:
        # Refused if the document was added again in another way: then it is updated like any other.
        with suppress(InvalidInput):
            restore_document(actor, document.pk)
    draft = DocumentDraft(
        _file_name(item),
        tags=tuple(source.tags),
        source=source.name,
        source_key=item.key,
        source_url=_storable_url(item.url),
    )
    outcome = add_document(actor, draft, BytesIO(content))
    state.document, state.is_forgotten_by_sync = outcome.document, False
    if document is None:
        return Change.UNCHANGED if outcome.is_known else Change.ADDED
    return Change.CHANGED if document.deleted_at is None else Change.ADDED


def _forget(actor: Actor, state: SourceItemState, reason: str) -> bool:
    document = _document_of(state)
    if document is None or document.deleted_at is not None:
        return False
    # The owner may have hard-deleted it since.
    with suppress(NotFound):
        forget_document(actor, document.pk, reason=reason)
        state.is_forgotten_by_sync = True
    return state.is_forgotten_by_sync


def _file_name(item: SourceItem) -> str:
    """Return a name from which the format is detected: the address of an HTML page often ends in .php, or .rs."""
    media_type = (item.content_type or "").partition(";")[0].strip().lower()
    extensions = _EXTENSIONS.get(media_type, ("",))
    return item.name if item.name.lower().endswith(extensions) else item.name + extensions[0]


def _storable_url(url: str | None) -> str | None:
    """Return the address of an item; None if it cannot be that of a document, such as one that is too long."""
    try:
        DocumentDraft("item", source_url=url).checked()
    except MemoriesError:
        return None
    return url
