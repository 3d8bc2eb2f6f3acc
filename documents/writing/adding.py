"""Adding documents: new ones, known ones, and new versions."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from common.advisory_locks import AdvisoryLock, lock_until_commit
from documents.drafts import DocumentDraft
from documents.models import Document, Original, Version
from documents.originals import store_original
from documents.queue import read_soon
from documents.writing import journal
from documents.writing.copies import update_copies
from documents.writing.reading import read_version
from memories.access import Actor
from memories.database import refuse_growth
from memories.errors import InvalidInput, LimitExceeded
from memories.tags import canonical_tags
from memories.writing.journal import write


@dataclass(frozen=True, slots=True)
class AddOutcome:
    """The document and the version with the given content. `is_known`: it was there already."""

    document: Document
    version: Version
    is_known: bool = False


def add_document(actor: Actor, draft: DocumentDraft, file: IO[bytes], *, at_once: bool = False) -> AddOutcome:
    """Store a seekable file as a document, as a new version of the document with its key, or not again if it is known.

    The text is read by the job process; with `at_once`, before this returns. Tags are added to those of a known
    document. Raises InvalidInput, LimitExceeded, SecretRejected and StorageFull.
    """
    refuse_growth()
    checked = draft.checked()
    tags = actor.view.completed(canonical_tags(actor.view, checked.tags))
    _check_size(file)
    with transaction.atomic():
        original = store_original(actor.owner_id, file)
        # Two calls with one key would both create a document, or a version with the same number.
        lock_until_commit(AdvisoryLock.DOCUMENT_ADDING, actor.owner_id)
        document, before = _document_for(actor, checked, original, tags)
        version = document.versions.select_related("original").order_by("-number").first()
        is_known = version is not None and version.original_id == original.pk
        if version is not None and before is not None:
            before["content"] = bytes(version.original.content_hash).hex()
        if not is_known:
            version = _new_version(document, original, checked.file_name)
        assert version is not None
        _record(actor, document, original, before)
        if not at_once:
            transaction.on_commit(read_soon)
    if at_once and version.state == Version.State.QUEUED:
        read_version(version.pk)
        version.refresh_from_db()
        document.refresh_from_db()
    return AddOutcome(document, version, is_known)


def _check_size(file: IO[bytes]) -> None:
    size = file.seek(0, 2)
    if not size:
        raise InvalidInput(gettext("is empty."), argument="file")
    most = settings.MAX_DOCUMENT_MB
    if size > most * 1_000_000:
        raise LimitExceeded(
            gettext("has %(number)s MB; at most %(most)s MB are allowed (MAX_DOCUMENT_MB).")
            % {"number": f"{size / 1000000:.1f}", "most": most},
            argument="file",
        )


def _record(actor: Actor, document: Document, original: Original, before: dict[str, Any] | None) -> None:
    after = journal.snapshot(document, original)
    if before is None:
        write([journal.first_entry(actor, document.pk, after)])
    else:
        journal.write_change(actor, journal.Operation.UPDATE, document.pk, before, after)


def _document_for(
    actor: Actor, draft: DocumentDraft, original: Original, tags: Sequence[str]
) -> tuple[Document, dict[str, Any] | None]:
    """Return the locked document with the key of the draft, created if there is none, and its state before."""
    for key in _keys(actor, draft.source_key or draft.source_url or original.content_hash.hex()):
        in_place = Document.objects.not_deleted().filter(
            owner_id=actor.owner_id, source=draft.source, source_key=key, quarantined_from=draft.quarantined_from
        )
        document = in_place.select_for_update().first()
        if document is None:
            return _new_document(actor, draft, key, tags), None
        if actor.view.shows(document.tags):
            before = journal.snapshot(document)
            _update(document, draft, tags)
            return document, before
    raise AssertionError("the last key is new")


def _keys(actor: Actor, key: str) -> Iterator[str]:
    """Yield the keys to try. A limited app must not learn that a document out of its view has the first one."""
    yield key
    yield f"{key} {','.join(actor.view.only_tags)}"
    yield f"{key} {uuid.uuid4()}"


def _new_document(actor: Actor, draft: DocumentDraft, key: str, tags: Sequence[str]) -> Document:
    return Document.objects.create(
        owner_id=actor.owner_id,
        source=draft.source,
        source_key=key,
        source_url=draft.source_url,
        title=draft.title or draft.file_name,
        is_title_given=draft.title is not None,
        tags=list(tags),
        quarantined_from=draft.quarantined_from,
        stored_by=actor.client,
    )


def _update(document: Document, draft: DocumentDraft, tags: Sequence[str]) -> None:
    document.tags = list(dict.fromkeys([*document.tags, *tags]))
    if draft.title:
        document.title, document.is_title_given = draft.title, True
    document.save(update_fields=["tags", "title", "is_title_given"])
    update_copies(document)


def _new_version(document: Document, original: Original, file_name: str) -> Version:
    last = document.versions.aggregate(last=Max("number"))["last"] or 0
    return Version.objects.create(
        document=document, number=last + 1, original=original, file_name=file_name, state=Version.State.QUEUED
    )
