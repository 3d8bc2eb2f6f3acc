"""Reading versions: their text is extracted in a separate process, cleared of secrets and divided into chunks."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from documents.chunking import Outline, context_of, outline_of
from documents.drafts import MAX_TITLE_CHARS
from documents.extraction.extracted import FINAL, Extracted, ExtractionError
from documents.extraction.isolation import extract_isolated
from documents.models import Chunk, Document, Original, Version
from documents.originals import read_original
from documents.secrets import clear_of_secrets
from documents.writing import journal
from documents.writing.chunks import delete_chunks
from memories.access import Actor, View
from memories.errors import MemoriesError
from memories.models import JournalEntry
from memories.tags import canonical_tags
from memories.validation.text import MAX_TAG_CHARS, MAX_TAGS, clean_tag
from memories.vectors.index_queue import build_index_soon, index_soon

logger = logging.getLogger(__name__)

INSERTED_AT_ONCE = 500


def read_version(version_id: int) -> None:
    """Read a queued version and make it the current one of its document; record the problem if that fails.

    If the process dies, the version is still queued, and nothing is half stored. If two processes read one version, the
    second discards what it read.
    """
    version = Version.objects.select_related("original", "document").get(pk=version_id)
    if version.state != Version.State.QUEUED:
        return
    try:
        extracted, secrets = clear_of_secrets(_extract(version.original, version.file_name))
    except ExtractionError as error:
        _record_problem(version, error)
        return
    outline = outline_of(extracted.blocks)
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=version.document_id)
        if Version.objects.filter(pk=version_id, state=Version.State.QUEUED).exists():
            _store(version, extracted, outline, secrets)
            if document.current is None or document.current.number < version.number:
                _make_current(document, version, extracted, outline)


def _extract(original: Original, file_name: str) -> Extracted:
    with tempfile.NamedTemporaryFile(prefix="ownsona-document-") as file:
        for part in read_original(original):
            file.write(part)
        file.flush()
        return extract_isolated(Path(file.name), file_name)


def _record_problem(version: Version, error: ExtractionError) -> None:
    Version.objects.filter(pk=version.pk, state=Version.State.QUEUED).update(
        state=Version.State.FAILED, problem=str(error), is_final=error.reason in FINAL
    )


def _store(version: Version, extracted: Extracted, outline: Outline, secrets: Sequence[str]) -> None:
    version.state = Version.State.READY
    version.media_type = extracted.media_type
    version.pages = extracted.pages
    version.notes = list(extracted.notes)
    version.secrets = list(secrets)
    version.title = _title_of(extracted)
    version.text = outline.text
    version.save(update_fields=["state", "media_type", "pages", "notes", "secrets", "title", "text"])


def _make_current(document: Document, version: Version, extracted: Extracted, outline: Outline) -> None:
    """Replace the chunks of the previous version, and take over what the file says about itself."""
    before = journal.snapshot(document)
    document.current = version
    document.updated_at = timezone.now()
    if not document.is_title_given:
        document.title = version.title or document.title
    document.author = extracted.author
    document.tags = _tags_with(document, extracted.tags)
    created = {"created_at": extracted.created_at.isoformat()} if extracted.created_at else {}
    document.metadata = {**extracted.metadata, **created}
    document.save(update_fields=["current", "updated_at", "title", "author", "tags", "metadata"])
    delete_chunks(document)
    Chunk.objects.bulk_create(_chunks(document, version, outline), batch_size=INSERTED_AT_ONCE)
    actor = _actor_of(document, version)
    journal.write_change(actor, journal.Operation.UPDATE, document.pk, before, journal.snapshot(document))
    transaction.on_commit(index_soon)
    transaction.on_commit(build_index_soon)


def _actor_of(document: Document, version: Version) -> Actor:
    """Return the actor that added the version: the tags of the file are part of that change."""
    content = bytes(version.original.content_hash).hex()
    added = JournalEntry.objects.filter(
        owner_id=document.owner_id, document_id=document.pk, after__content=content
    ).order_by("-pk")
    view = View.whole(document.owner_id)
    if (entry := added.first()) is None:
        return Actor(view, document.stored_by)
    return Actor(view, entry.client, entry.change_set, entry.session_id)


def _title_of(extracted: Extracted) -> str:
    """Return the title that the file states, or else the heading that it begins with; "" if it has neither."""
    first = extracted.blocks[0] if extracted.blocks else None
    heading = first.text if first is not None and first.kind == "heading" else ""
    return " ".join((extracted.title or heading).split())[:MAX_TITLE_CHARS]


def _tags_with(document: Document, tags: Sequence[str]) -> list[str]:
    """Return the document's tags and those of the file. Tags that cannot be stored are left out."""
    short = [tag for tag in tags if 0 < len(clean_tag(tag)) <= MAX_TAG_CHARS][:MAX_TAGS]
    try:
        found = canonical_tags(View.whole(document.owner_id), short)
    except MemoriesError as error:
        logger.warning("The tags in document %s are ignored: %s", document.pk, error)
        found = []
    return list(dict.fromkeys([*document.tags, *found]))[:MAX_TAGS]


def _chunks(document: Document, version: Version, outline: Outline) -> list[Chunk]:
    return [
        Chunk(
            owner_id=document.owner_id,
            document=document,
            version=version,
            number=number,
            text=outline.text[chunk.start : chunk.end],
            context=context_of(document.title, chunk.heading),
            heading=chunk.heading,
            page=chunk.page,
            start_char=chunk.start,
            end_char=chunk.end,
            source=document.source,
            tags=document.tags,
            created_at=document.updated_at,
            deleted_at=document.deleted_at,
            quarantined_from=document.quarantined_from,
        )
        for number, chunk in enumerate(outline.chunks)
    ]
