"""Reads of documents other than search. Nothing here changes data, and every result belongs to one view."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import IntegerField, QuerySet, TextField, Value
from django.db.models.functions import Cast, Length, Substr
from django.db.models.lookups import StartsWith
from django.utils.translation import gettext

from common.texts import translatable
from documents.models import Chunk, Document, DocumentQuerySet, Original
from memories.access import Actor, View
from memories.database import among_uuids
from memories.errors import InvalidInput, LimitExceeded, NotFound
from memories.queries.selectors import check_page
from memories.tags import canonical_tags
from memories.validation.text import check_storable

MAX_TEXT_PART_CHARS = 100_000
"""Greatest number of characters of a document that one call returns."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a document's text, from the character `start` on, with the chunks that begin in it.

    `length` is that of the whole text.
    """

    start: int
    text: str
    length: int
    chunks: Sequence[Chunk]

    @property
    def next_start(self) -> int | None:
        """The position of the next part; None after the last one."""
        end = self.start + len(self.text)
        return end if end < self.length else None


def visible_chunks(view: View) -> QuerySet[Chunk]:
    """Return the chunks of the view's documents that are neither forgotten nor quarantined."""
    chunks = Chunk.objects.filter(owner_id=view.owner_id, deleted_at=None, quarantined_from=None)
    return chunks if view.is_whole else chunks.filter(tags__overlap=list(view.only_tags))


def get_document(view: View, document_id: uuid.UUID) -> Document:
    """Return a document that is not forgotten, with its current version. Raises NotFound."""
    document = _with_versions(view).filter(pk=document_id).first()
    if document is None:
        raise NotFound(gettext("There is no document with id %(document_id)s.") % {"document_id": document_id})
    return document


def changeable_document(actor: Actor, document_id: uuid.UUID) -> Document:
    """Return a document that the actor may change, forgotten ones included. Raises NotFound."""
    document = Document.objects.changeable_by(actor).filter(pk=document_id).first()
    if document is None:
        raise NotFound(gettext("There is no document with id %(document_id)s.") % {"document_id": document_id})
    return document


def changeable_documents(actor: Actor, document_ids: Collection[uuid.UUID]) -> DocumentQuerySet:
    """Return the documents with one of these ids that the actor may change, forgotten ones included."""
    return Document.objects.changeable_by(actor).filter(pk__in=among_uuids(document_ids)).order_by("pk")


def list_documents(
    view: View, *, limit: int = 20, offset: int = 0, source: str | None = None, tags: Sequence[str] = ()
) -> list[Document]:
    """Return the documents that are not forgotten, latest updated first. Raises InvalidInput and LimitExceeded."""
    check_page(limit, offset)
    found = _with_versions(view)
    if source is not None:
        check_storable("source", source)
        found = found.filter(source=source)
    if tags:
        wanted = canonical_tags(view, tags)
        found = found.filter(tags__overlap=wanted) if wanted else found.none()
    return list(found.newest_first()[offset : offset + limit])


def has_documents(view: View) -> bool:
    """Return whether the view has any document that is not forgotten. One query."""
    return Document.objects.visible_to(view).not_deleted().exists()


def has_had_documents(view: View) -> bool:
    """Return whether the view has any document, forgotten ones included. One query."""
    return Document.objects.visible_to(view).exists()


def original_of(document: Document) -> Original | None:
    """Return the original of the current version; None if there is none. One query."""
    return Original.objects.filter(versions=document.current_id).first() if document.current_id else None


def documents_with_original(view: View, original_id: int) -> DocumentQuerySet:
    """Select the documents whose current version has this content and that are not forgotten, quarantined ones, too."""
    return Document.objects.visible_including_quarantined(view).not_deleted().filter(current__original_id=original_id)


def ids_beginning_with(view: View, beginning: str, *, limit: int) -> list[str]:
    """Return the ids of documents that begin with `beginning`, latest updated first."""
    if not set(beginning.lower()) <= set("0123456789abcdef-"):
        return []
    spelled: Any = Cast("pk", TextField())
    condition = StartsWith(spelled, Value(beginning.lower()))
    found = Document.objects.visible_to(view).not_deleted().filter(condition).newest_first()
    return [str(document_id) for document_id in found.values_list("pk", flat=True)[:limit]]


def titled(view: View, text: str, *, limit: int) -> list[Document]:
    """Return the documents whose title contains `text`, ignoring case, latest updated first."""
    check_storable("title", text)
    return list(_with_versions(view).filter(title__icontains=text).newest_first()[:limit])


def read_text(document: Document, start: int, max_chars: int) -> TextPart:
    """Return the part of the current version's text that begins at the character `start`. Two queries.

    Raises InvalidInput and LimitExceeded.
    """
    if max_chars < 1:
        raise InvalidInput(translatable("must be at least 1."), argument="max_chars")
    if max_chars > MAX_TEXT_PART_CHARS:
        raise LimitExceeded(
            translatable("must be at most %(max_text_part_chars)s.", max_text_part_chars=MAX_TEXT_PART_CHARS),
            argument="max_chars",
        )
    if document.current_id is None:
        return TextPart(0, "", 0, ())
    text: Any = Substr("current__text", start + 1, max_chars, output_field=TextField())
    length: Any = Length("current__text", output_field=IntegerField())
    part, whole = (
        Document.objects.filter(pk=document.pk).annotate(part=text, whole=length).values_list("part", "whole").get()
    )
    chunks = Chunk.objects.filter(document=document, start_char__gte=start, start_char__lt=start + len(part))
    return TextPart(start, part, whole, list(chunks.order_by("number")))


def _with_versions(view: View) -> DocumentQuerySet:
    return Document.objects.visible_to(view).not_deleted().select_related("current").defer("current__text")
