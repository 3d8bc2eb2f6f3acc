"""Search box of the list of documents: by title, and by the words of the text."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Q
from django.utils.translation import gettext

from common.pages.admin_list import OwnersChangeList
from documents.admin.filters import StateFilter
from documents.models import DocumentQuerySet
from documents.search import search_documents
from memories.access import View
from memories.recall.pipeline import Mode, Query


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


def matching(view: View, documents: DocumentQuerySet, wanted: str) -> DocumentQuerySet:
    """Return the `documents` with `wanted` in their title or best matches of its words in their text.

    Texts of forgotten documents and of those that await review are not searched. Raises the errors of
    `search_documents`.
    """
    query = Query(wanted, settings.MAX_RECALL_LIMIT, mode=Mode.KEYWORD)
    found = [passage.chunk.document_id for passage in search_documents(view, query, per_document=1).passages]
    return documents.filter(Q(title__icontains=wanted) | Q(pk__in=found))
