"""Storing reversals of documents. Most need two statements in all; new titles and contents some for each document."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.db import transaction
from psycopg.types.json import Jsonb

from documents.models import Document, Version
from documents.queue import read_soon
from documents.writing import journal
from documents.writing.changing import replace_chunks
from documents.writing.chunks import delete_chunks
from documents.writing.copies import update_copies_of
from memories.access import Actor
from memories.database import fetch_rows
from memories.models import JournalEntry
from memories.undo.reversal import Effect, Reversal, State
from memories.writing.journal import write

SET_BACK = """
UPDATE documents_document AS document
SET tags = ARRAY(SELECT jsonb_array_elements_text(given.tags)), deleted_at = given.deleted_at,
    forget_reason = given.forget_reason, quarantined_from = given.quarantined_from, updated_at = statement_timestamp()
FROM jsonb_to_recordset(%(items)s::jsonb) AS given(
    id uuid, tags jsonb, deleted_at timestamptz, forget_reason text, quarantined_from text)
WHERE document.id = given.id AND document.owner_id = %(owner)s
RETURNING 1
"""

_BATCH = 5_000


def store(
    actor: Actor,
    reversals: Sequence[Reversal[uuid.UUID]],
    states: Mapping[uuid.UUID, State],
    operation: JournalEntry.Operation,
) -> None:
    """Set locked documents back, with a journal entry each. Call it in a transaction. Raises IntegrityError.

    A content that comes back is a new version with the earlier file, so that redoing it is the same. Until it has been
    read, apps find neither the earlier nor the later content.
    """
    # What goes away goes first: its place may be that of what comes back.
    for effect in (Effect.REMOVED, Effect.RESTORED):
        _set_back(actor, [each for each in reversals if each.effect == effect], states)
    update_copies_of([reversal.item_id for reversal in reversals])
    for reversal in reversals:
        if "title" in reversal.values:
            _set_title(reversal.item_id, reversal.values["title"])
        if reversal.values.get("content") is not None:
            _bring_back(reversal.item_id, reversal.values["content"])
    write(
        journal.entry(
            actor,
            operation,
            reversal.item_id,
            {name: states[reversal.item_id][name] for name in reversal.values},
            reversal.values,
        )
        for reversal in reversals
    )


def _set_back(actor: Actor, reversals: Sequence[Reversal[uuid.UUID]], states: Mapping[uuid.UUID, State]) -> None:
    items = [_item(reversal, states[reversal.item_id]) for reversal in reversals]
    for start in range(0, len(items), _BATCH):
        given = Jsonb(items[start : start + _BATCH], dumps=orjson.dumps)
        fetch_rows(SET_BACK, {"items": given, "owner": actor.owner_id})


def _item(reversal: Reversal[uuid.UUID], state: State) -> dict[str, Any]:
    after = {**state, **reversal.values}
    columns = ("tags", "deleted_at", "forget_reason", "quarantined_from")
    return {"id": reversal.item_id, **{name: after[name] for name in columns}}


def _set_title(document_id: uuid.UUID, title: str | None) -> None:
    """Give a document a title, or that of its file."""
    document = Document.objects.select_related("current").defer("current__text").get(pk=document_id)
    own = document.current.title or document.current.file_name if document.current else ""
    document.title, document.is_title_given = title or own or document.title, title is not None
    document.save(update_fields=["title", "is_title_given"])
    replace_chunks(document)


def _bring_back(document_id: uuid.UUID, content: str) -> None:
    """Add the version with this content again, as the newest one. The job process reads it."""
    document = Document.objects.get(pk=document_id)
    versions = document.versions.defer("text").order_by("-number")
    newest = versions.values_list("number", flat=True).first() or 0
    version = versions.filter(original__content_hash=bytes.fromhex(content))[0]
    Version.objects.create(
        document=document,
        number=newest + 1,
        original_id=version.original_id,
        file_name=version.file_name,
        state=Version.State.QUEUED,
    )
    delete_chunks(document)
    document.current = None
    document.save(update_fields=["current"])
    transaction.on_commit(read_soon)
