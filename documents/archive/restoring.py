"""Restoring the documents of an archive."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from common.advisory_locks import AdvisoryLock, lock_until_commit
from documents.archive.chunk_rows import chunk_rows
from documents.archive.lists import (
    CURRENT,
    DOCUMENT_LIST,
    DOCUMENTS,
    NAME,
    SHA256,
    VERSION_LIST,
    VERSIONS,
    original_member,
)
from documents.drafts import DocumentDraft
from documents.models import Chunk, Document, Version
from documents.originals import store_original
from documents.queue import read_soon
from memories.errors import MemoriesError
from memories.transfer.archive.clients import with_clients_here
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.restoration import Restoration
from memories.transfer.batches import batches
from memories.vectors.index_queue import build_index_soon, index_soon

_BATCH = 500


@dataclass(slots=True)
class RestoredDocuments:
    """The documents that this import has stored, and the numbers of their current versions, by their former ids."""

    by_former_id: dict[uuid.UUID, Document] = field(default_factory=dict)
    current_numbers: dict[uuid.UUID, int | None] = field(default_factory=dict)


def restore_documents(restoration: Restoration) -> None:
    """Store the missing documents with their versions, chunks and originals. Known ones stay as they are.

    Passages are embedded later, and versions that were queued are read. Raises UnusableArchive.
    """
    lock_until_commit(AdvisoryLock.DOCUMENT_ADDING, restoration.actor.owner_id)
    restored = RestoredDocuments()
    for number, record in enumerate(restoration.archive.records(DOCUMENT_LIST), start=1):
        _restore_document(restoration, record, number, restored)
    if not restored.by_former_id:
        return
    for record in restoration.archive.records(VERSION_LIST):
        _restore_version(restoration, record, restored)
    for batch in batches(chunk_rows(restoration, restored.by_former_id), _BATCH):
        Chunk.objects.bulk_create(batch)
    for task in (read_soon, index_soon, build_index_soon):
        transaction.on_commit(task)


def _restore_document(
    restoration: Restoration, record: dict[str, Any], number: int, restored: RestoredDocuments
) -> None:
    current = record.pop(CURRENT, None)
    values = with_clients_here(DOCUMENTS.values_of(record))
    counts = restoration.summary.of(NAME)
    missing = {"id", "source", "source_key", "title", "stored_by"} - values.keys()
    if missing or not isinstance(current, int | None):
        raise UnusableArchive(f"{DOCUMENT_LIST}.jsonl, line {number}: it has no {min(missing, default=CURRENT)}.")
    try:
        _check(values)
    except MemoriesError as error:
        restoration.summary.refuse(NAME, f"{DOCUMENT_LIST}.jsonl, line {number}", error)
        restoration.document_ids.others.add(values["id"])
        return
    if _is_present(restoration.actor.owner_id, values):
        counts.present += 1
        restoration.document_ids.others.add(values["id"])
        return
    former_id = values["id"]
    # Another owner of this installation may have the document that the archive was made from.
    if Document.objects.filter(pk=former_id).exists():
        values["id"] = uuid.uuid4()
    restored.by_former_id[former_id] = Document.objects.create(owner_id=restoration.actor.owner_id, **values)
    restored.current_numbers[former_id] = current
    restoration.document_ids.restored[former_id] = values["id"]
    counts.added += 1


def _check(values: dict[str, Any]) -> None:
    """Raise InvalidInput or SecretRejected for what could not be added, either."""
    given: dict[str, Any] = {name: values.get(name) for name in ("title", "source", "source_key", "source_url")}
    DocumentDraft(file_name="document", **given, tags=tuple(values.get("tags", ()))).checked()


def _is_present(owner_id: int, values: dict[str, Any]) -> bool:
    """Return whether the owner has the document: the same item of a source, in the same state."""
    state = {name: values.get(name) for name in ("deleted_at", "quarantined_from")}
    same = Document.objects.filter(owner_id=owner_id, source=values["source"], source_key=values["source_key"], **state)
    return same.exists()


def _restore_version(restoration: Restoration, record: dict[str, Any], restored: RestoredDocuments) -> None:
    sha256 = record.pop(SHA256, None)
    values = VERSIONS.values_of(record)
    if {"document_id", "number", "file_name", "state"} - values.keys() or not isinstance(sha256, str):
        raise UnusableArchive("A version of a document is incomplete.")
    former_id = values.pop("document_id")
    document = restored.by_former_id.get(former_id)
    if document is None:
        return
    if not restoration.archive.has(original_member(sha256)):
        raise UnusableArchive(f"The original {sha256:.64} of a document is missing.")
    with restoration.archive.opened(original_member(sha256)) as file:
        original = store_original(restoration.actor.owner_id, file)
    version = Version.objects.create(document=document, original=original, **values)
    if version.number == restored.current_numbers[former_id]:
        # Only its id is kept: the texts of all documents may be larger than the memory.
        document.current_id = version.pk
        document.save(update_fields=["current"])
