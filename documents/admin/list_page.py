"""The list of documents with its filters, and the sources beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext, gettext_noop

from common.pages.owner_pages import owner_page
from common.pages.translated import translated
from documents.admin.file_types import file_type_of, length_of
from documents.admin.filters import StateFilter, count_tags
from documents.admin.search import DocumentChangeList
from documents.admin.source_pages.rows import source_rows, with_document_count
from documents.admin.sources import count_sources, source_label, web_address
from documents.admin.states import State, newest_version, state_of
from documents.models import Document, Source
from documents.review_count import count_awaiting_review, review_text
from memories.access import View
from memories.admin.base import owner_id, owners_view
from memories.admin.filters import MAX_CHOICES

SHOWN_SOURCES = 8
SHOWN_PROBLEM_CHARS = 200
_FLAGS = {State.WAITING: "pin", State.NO_TEXT: "warn", State.UNREADABLE: "bad", State.IN_REVIEW: "warn"}


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document for the list. `state` is empty for one that can be searched, `passage` is what was found."""

    id: str
    title: str
    url: str
    source: str
    file_type: str
    length: str
    tags: Sequence[str]
    updated_at: datetime
    state: str
    flag: str
    is_web: bool
    passage: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter of the list. `count` is None if it is not counted."""

    title: str
    url: str
    is_on: bool
    count: int | None = None


def list_page(request: HttpRequest, changelist: DocumentChangeList, when_empty: str) -> HttpResponse:
    """Show the documents of `changelist`, which has applied the query. Six queries."""
    view = owners_view(request)
    query = {name: request.GET.get(name, "") for name in ("q", "state", "source", "tag")}
    shown_sources = with_document_count(Source.objects.filter(owner_id=owner_id(request)).order_by("name", "pk"))
    sources = source_rows(shown_sources[:SHOWN_SOURCES])
    count = count_awaiting_review(request)
    # The numbers are those of all documents, which a search makes no use of.
    counts = _NO_COUNTS if query["q"] else _counts(view)
    passages = getattr(request, "found_passages", {})
    context: dict[str, Any] = {
        "cl": changelist,
        "rows": [_row(document, passages.get(document.pk, "")) for document in changelist.result_list],
        "wanted": query["q"],
        "kept": {name: query[name] for name in ("state", "source", "tag") if query[name]},
        "state": query["state"],
        "chips": [
            _chip(query, "source", source_label(name), name, number)
            for name, number in _offered(query, "source", counts)
        ],
        "states": [_chip(query, "state", gettext(title), value) for value, title in StateFilter.STATES],
        "tags": [_chip(query, "tag", tag, tag, number) for tag, number in _offered(query, "tag", counts)],
        "older": _older(changelist, query),
        "per_page": changelist.list_per_page,
        "actions": [(name, gettext(label)) for name, label in _ACTIONS.get(query["state"], _ACTIONS[""])],
        "when_empty": when_empty,
        "is_filtered": any(query.values()),
        "has_documents": bool(changelist.result_list) or Document.objects.filter(owner_id=view.owner_id).exists(),
        "is_narrowed": bool(query["state"] or query["tag"]),
        "sources": sources,
        "failing": [] if any(query.values()) else [source for source in sources if source.problem],
        "awaiting_review": review_text(count) if count else "",
        "max_mb": settings.MAX_DOCUMENT_MB,
    }
    return owner_page(request, "admin/documents/document/list.html", context, title=gettext("Documents"))


def _counts(view: View) -> dict[str, list[tuple[str, int]]]:
    return {"source": count_sources(view)[:MAX_CHOICES], "tag": count_tags(view)}


def _offered(
    query: Mapping[str, str], name: str, counts: Mapping[str, Sequence[tuple[str, int]]]
) -> list[tuple[str, int | None]]:
    """Return the values to choose from. The chosen one is always among them.

    They have counts unless another filter is on: then fewer documents would be left.
    """
    is_filtered = any(value for other, value in query.items() if other != name)
    offered = [(value, None if is_filtered else count) for value, count in counts[name]]
    if query[name] and query[name] not in dict(offered):
        offered.insert(0, (query[name], None))
    return offered


_NO_COUNTS: dict[str, list[tuple[str, int]]] = {"source": [], "tag": []}

_ACTIONS = {
    "": [
        ("forget", gettext_noop("Forget")),
        ("retry", gettext_noop("Read again")),
        ("delete_permanently", gettext_noop("Delete permanently")),
    ],
    "review": [
        ("accept", gettext_noop("Accept")),
        ("forget", gettext_noop("Forget")),
        ("delete_permanently", gettext_noop("Delete permanently")),
    ],
    "forgotten": [("restore", gettext_noop("Restore")), ("delete_permanently", gettext_noop("Delete permanently"))],
}


def _row(document: Document, passage: str) -> DocumentRow:
    version, state = newest_version(document), state_of(document)
    said = "" if state is State.READY else gettext(state)
    if state is State.UNREADABLE and version is not None:
        said = f"{said}: {_beginning(translated(version.problem))}"
    return DocumentRow(
        id=str(document.pk),
        title=document.title,
        url=reverse("admin:documents_document_change", args=[document.pk]),
        source=source_label(document.source),
        file_type=(version and file_type_of(version)) or "",
        length=length_of(version) if version else "",
        tags=document.tags,
        updated_at=document.updated_at,
        state=said,
        flag=_FLAGS.get(state, ""),
        is_web=bool(web_address(document.source_url)),
        passage=passage,
    )


def _beginning(problem: str) -> str:
    """Return the first sentence of a problem. The page of the document has the others, such as what is supported."""
    first, dot, _ = problem.partition(". ")
    return Truncator(first + dot.strip()).chars(SHOWN_PROBLEM_CHARS)


def _chip(query: Mapping[str, str], name: str, title: str, value: str, count: int | None = None) -> Chip:
    is_on = query[name] == value
    return Chip(title, _url({**query, name: "" if is_on else value}), is_on, count)


def _url(query: Mapping[str, object]) -> str:
    return f"?{urlencode({name: value for name, value in query.items() if value})}"


def _older(changelist: DocumentChangeList, query: Mapping[str, str]) -> str:
    return _url({**query, "p": changelist.page_num + 1}) if changelist.has_more else ""
