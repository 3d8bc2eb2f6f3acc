"""Shapes of documents and their passages in results."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

from django.conf import settings
from django.urls import reverse
from pydantic import BaseModel, ConfigDict, Field

from documents.models import Document
from documents.search import FoundPassage
from mcpapi.tools.shapes import UtcTime

URI_PREFIX = "ownsona://documents/"

DocumentId = Annotated[uuid.UUID, Field(description="The document's id.")]


class DocumentShape(BaseModel):
    """A document, as lists show it."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    source: str
    source_id: str = Field(description="What identifies it in its source: a path, an address or a hash.")
    source_url: str | None
    author: str | None
    tags: list[str]
    content_type: str | None = Field(description="Its media type; null until it has been read.")
    pages: int | None
    created_at: UtcTime
    updated_at: UtcTime
    uri: str


class PassageShape(BaseModel):
    """A passage of a document."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(description="The id for get_document.")
    score: float = Field(description="Cosine similarity to the query, 0 to 1.")
    relevance: float = Field(description="The estimated probability that it answers the query, 0 to 1.")
    title: str
    source: str
    source_id: str
    updated_at: UtcTime
    snippet: str
    source_url: str | None
    page: int | None = Field(description="The page it begins on, from 1; null if the document has no pages.")
    heading: str = Field(description="The headings above it, the highest first.")
    uri: str


def uri_of(document: Document) -> str:
    """Return the URI of the resource with the document's text."""
    return f"{URI_PREFIX}{document.pk}"


def address_of(document: Document) -> str:
    """Return the document's own address, or the page on which the owner can see it."""
    return document.source_url or settings.PUBLIC_URL + reverse("admin:documents_document_change", args=[document.pk])


def document_fields(document: Document) -> dict[str, Any]:
    """Return the fields that a list, a search and the document itself have in common."""
    return {
        "id": str(document.pk),
        "title": document.title,
        "source": document.source,
        "source_id": document.source_key,
        "source_url": document.source_url,
        "updated_at": document.updated_at,
    }


def shape_document(document: Document) -> DocumentShape:
    """Return a document in the shape of lists."""
    version = document.current
    return DocumentShape(
        **document_fields(document),
        author=document.author,
        tags=document.tags,
        content_type=version.media_type if version else None,
        pages=version.pages if version else None,
        created_at=document.created_at,
        uri=uri_of(document),
    )


def shape_passage(passage: FoundPassage) -> PassageShape:
    """Return a passage in the shape of searches. A chunk is short enough to be shown whole."""
    chunk = passage.chunk
    return PassageShape(
        **document_fields(chunk.document),
        score=round(passage.score, 4),
        relevance=round(passage.relevance, 4),
        snippet=chunk.text,
        page=chunk.page,
        heading=chunk.heading,
        uri=uri_of(chunk.document),
    )
