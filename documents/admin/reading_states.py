"""The progress of reading uploaded documents: a part of the upload page that its script fetches again and again."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_safe

from documents.admin.ids import given_uuids
from documents.admin.states import State, newest_version, newest_versions, state_of
from documents.models import Document
from memories.admin.base import owners_view

MOST_AT_ONCE = 100
"""Number of documents in one request. The script of the page asks for the first ones that are not read yet."""

SENTENCES = {
    State.READY: gettext_noop("Ready: apps can find it."),
    State.WAITING: gettext_noop("OwnSona is reading it."),
    State.NO_TEXT: gettext_noop("It contains no text. Apps can find nothing in it but its title."),
    State.UNREADABLE: gettext_noop("It could not be read."),
    State.IN_REVIEW: gettext_noop("It awaits your review."),
    State.FORGOTTEN: gettext_noop("It was forgotten."),
}


@dataclass(frozen=True, slots=True)
class ReadingState:
    """The state of a document in a sentence, with the problem that kept it from being read, if there was one."""

    document_id: str
    sentence: str
    problem: str
    url: str
    is_pending: bool
    has_failed: bool


@require_safe
def reading_states(request: HttpRequest) -> HttpResponse:
    """Return a paragraph on each of the owner's documents with the `ids` of the query. Raises Http404 for others."""
    wanted = given_uuids(request.GET.get("ids", ""), MOST_AT_ONCE)
    documents = Document.objects.visible_including_quarantined(owners_view(request)).filter(pk__in=wanted)
    rows = [_row(document) for document in documents.defer("metadata").prefetch_related(newest_versions())]
    return render(request, "admin/documents/document/reading.html", {"rows": rows})


def _row(document: Document) -> ReadingState:
    state, newest = state_of(document), newest_version(document)
    has_failed = state is State.UNREADABLE
    return ReadingState(
        str(document.pk),
        gettext(SENTENCES[state]),
        newest.problem if newest and has_failed else "",
        reverse("admin:documents_document_change", args=[document.pk]),
        is_pending=state is State.WAITING,
        has_failed=has_failed,
    )
