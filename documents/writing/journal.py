"""Journal entries of documents. What follows from a file, such as its author, is not journalled.

- `content`: the SHA-256 of the newest version's original, in hex.
- `title`: the one that somebody has given; None for the title of the file.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC
from typing import Any

from documents.models import Document, Original
from memories.access import Actor
from memories.models import JournalEntry
from memories.writing.journal import write

Operation = JournalEntry.Operation
State = Mapping[str, Any]

JOURNALLED_FIELDS = ("content", "title", "tags", "deleted_at", "forget_reason", "quarantined_from")


def snapshot(document: Document, original: Original | None = None) -> dict[str, Any]:
    """Return the journalled fields of a document as JSON values, without its content unless `original` has it."""
    deleted_at = document.deleted_at
    content = {} if original is None else {"content": bytes(original.content_hash).hex()}
    return {
        **content,
        "title": document.title if document.is_title_given else None,
        "tags": list(document.tags),
        "deleted_at": None if deleted_at is None else deleted_at.astimezone(UTC).isoformat(),
        "forget_reason": document.forget_reason,
        "quarantined_from": document.quarantined_from,
    }


def first_entry(actor: Actor, document_id: uuid.UUID, state: State) -> JournalEntry:
    """Build the unsaved entry for a new document from its snapshot."""
    after = {name: value for name, value in state.items() if value is not None}
    return _entry(actor, Operation.REMEMBER, document_id, {}, after)


def entry(actor: Actor, operation: Operation, document_id: uuid.UUID, before: State, after: State) -> JournalEntry:
    """Build the unsaved entry for a change from one snapshot to another."""
    changed = [name for name in after if before.get(name) != after[name]]
    return _entry(
        actor,
        operation,
        document_id,
        {name: before.get(name) for name in changed},
        {name: after[name] for name in changed},
    )


def hard_delete_entry(actor: Actor, document: Document) -> JournalEntry:
    """Build the unsaved entry for a deletion, without any content: only whether apps could see the document."""
    before = {"quarantined_from": document.quarantined_from} if document.quarantined_from else {}
    return _entry(actor, Operation.HARD_DELETE, document.pk, before, {})


def write_change(actor: Actor, operation: Operation, document_id: uuid.UUID, before: State, after: State) -> None:
    """Append the entry for a change, if anything has changed. Call it in the transaction of the change."""
    write(each for each in [entry(actor, operation, document_id, before, after)] if each.after)


def _entry(actor: Actor, operation: Operation, document_id: uuid.UUID, before: State, after: State) -> JournalEntry:
    return JournalEntry(
        owner_id=actor.owner_id,
        document_id=document_id,
        operation=operation,
        before=dict(before),
        after=dict(after),
        client=actor.client,
        change_set=actor.change_set,
        session_id=actor.session_id,
    )
