"""Search box of the list of documents: by title, and by the words of the text."""

from __future__ import annotations

import re
from collections.abc import Collection
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.utils.text import Truncator
from django.utils.translation import gettext

from common.pages.admin_list import OwnersChangeList
from documents.admin.filters import StateFilter
from documents.models import Chunk, Document, DocumentQuerySet
from documents.search import search_documents
from documents.selectors import titled
from memories.access import View
from memories.recall.pipeline import Mode, Query

EXCERPT_CHARS = 200
EXCERPT_BEFORE = 60
"""Number of characters before the word that was searched for."""


class DocumentChangeList(OwnersChangeList):
    """The list of documents, which says where to find those that it leaves out."""

    @property
    def when_empty(self) -> str:
        """The text shown for an empty list."""
        if StateFilter.parameter_name in self.filter_params:
            return gettext("Nothing matches.")
        if self.query or self.has_active_filters:
            return gettext("No document matches. To see forgotten documents, open “Filter by state and tag”.")
        return gettext("No documents yet. Add files, and your apps can search them.")


def found_passages(view: View, wanted: str) -> dict[UUID, str]:
    """Return the ids of the documents whose text matches the words of `wanted` best, each with an excerpt of it.

    Texts of forgotten documents and of those that await review are not searched. Raises the errors of
    `search_documents`.
    """
    return {chunk.document_id: excerpt(chunk.text, wanted) for chunk in _best_chunks(view, wanted)}


def _best_chunks(view: View, wanted: str) -> list[Chunk]:
    query = Query(wanted, settings.MAX_RECALL_LIMIT, mode=Mode.KEYWORD)
    return [passage.chunk for passage in search_documents(view, query, per_document=1, repeats=True).passages]


def matching(documents: DocumentQuerySet, wanted: str, found: Collection[UUID]) -> DocumentQuerySet:
    """Return the `documents` with `wanted` in their title, and those that were found by their text."""
    return documents.filter(Q(title__icontains=wanted) | Q(pk__in=found))


def documents_with(view: View, wanted: str, *, limit: int) -> list[Document]:
    """Return documents with `wanted` in their title, then those whose text matches its words best.

    Raises the errors of `search_documents`.
    """
    found = {document.pk: document for document in titled(view, wanted, limit=limit)}
    if len(found) < limit:
        found |= {chunk.document_id: chunk.document for chunk in _best_chunks(view, wanted)}
    return list(found.values())[:limit]


def excerpt(text: str, wanted: str) -> str:
    """Return the part of `text` around the first of the words of `wanted`, in one line."""
    line = " ".join(text.split())
    words = [re.escape(word) for word in re.findall(r"\w{2,}", wanted)]
    first = re.search(rf"\b(?:{'|'.join(words)})", line, re.IGNORECASE) if words else None
    start = line.rfind(" ", 0, max(0, first.start() - EXCERPT_BEFORE)) + 1 if first else 0
    shown = Truncator(line[start:]).chars(EXCERPT_CHARS)
    return f"…{shown}" if start else shown
