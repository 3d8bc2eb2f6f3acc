"""Writing the documents of an owner to an archive."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import F

from documents.archive.lists import (
    CHUNK_LIST,
    CHUNKS,
    CURRENT,
    DOCUMENT_LIST,
    DOCUMENTS,
    SHA256,
    VERSION_LIST,
    VERSIONS,
    original_member,
)
from documents.models import Chunk, Document, Original, Version
from documents.originals import read_original
from memories.access import View
from memories.transfer.archive.columns import as_json
from memories.transfer.archive.writer import ArchiveWriter

_BATCH = 500
_VERSIONS_AT_ONCE = 1
"""A version has the text of a whole document."""


def write_documents(archive: ArchiveWriter, view: View) -> None:
    """Add the documents with all versions, the chunks of the current ones, and the originals."""
    archive.add_lines(DOCUMENT_LIST, _documents(view))
    archive.add_lines(VERSION_LIST, _versions(view))
    archive.add_lines(CHUNK_LIST, _chunks(view))
    originals = Original.objects.filter(owner_id=view.owner_id).exclude(versions=None).order_by("pk")
    archive.counts["originals"] = 0
    for original in originals.iterator(chunk_size=_BATCH):
        archive.add(original_member(bytes(original.content_hash).hex()), read_original(original))
        archive.counts["originals"] += 1


def _documents(view: View) -> Iterator[bytes]:
    mine = Document.objects.visible_including_quarantined(view).order_by("created_at", "pk")
    rows = mine.values(*DOCUMENTS.names, **{CURRENT: F("current__number")})
    return map(as_json, rows.iterator(chunk_size=_BATCH))


def _versions(view: View) -> Iterator[bytes]:
    mine = Version.objects.filter(document__owner_id=view.owner_id).order_by("pk")
    for row in mine.values(*VERSIONS.names, **{SHA256: F("original__content_hash")}).iterator(_VERSIONS_AT_ONCE):
        yield as_json({**row, SHA256: bytes(row[SHA256]).hex()})


def _chunks(view: View) -> Iterator[bytes]:
    mine = Chunk.objects.filter(owner_id=view.owner_id).order_by("document_id", "number")
    return map(as_json, mine.values(*CHUNKS.names).iterator(chunk_size=_BATCH))
