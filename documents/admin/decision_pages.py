"""Confirmation pages for the owner's decisions about documents, linked from the list and from each document."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page, say
from documents.admin.decisions import FORGET, RESTORE, Decision, ReasonForm, url_name
from documents.admin.ids import given_uuids
from documents.models import Document
from memories.admin.base import acting_owner, owner_id, owners_view
from memories.admin.errors import add_domain_error
from memories.drafts import checked_reason
from memories.errors import MemoriesError

MAX_AT_ONCE = 50
LIST = "admin:documents_document_changelist"


def ask(decision: Decision, documents: QuerySet[Document]) -> HttpResponse:
    """Redirect to the page of a decision for the documents that the owner ticked."""
    # One more than a page of the list has: the next page refuses more than the owner can have ticked.
    return redirect(_url(decision, documents.values_list("pk", flat=True)[: MAX_AT_ONCE + 1]))


def _url(decision: Decision, ids: Iterable[uuid.UUID]) -> str:
    return f"{reverse(f'admin:{url_name(decision)}')}?ids={','.join(map(str, ids))}"


def decide_page(decision: Decision, request: HttpRequest) -> HttpResponse:
    """Ask for confirmation of `decision` for the documents in the query's `ids`. On POST, carry it out."""
    documents = _named_in(request)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            reason = checked_reason(form.cleaned_data["reason"]) or ""
        except MemoriesError as error:
            add_domain_error(form, error)
        else:
            return _carry_out(request, decision, [document.pk for document in documents], reason)
    context = {
        "crumb": {"url": reverse("admin:documents_document_changelist"), "title": gettext("Documents")},
        "decision": decision,
        "explanation": decision.explained(len(documents)),
        "documents": documents,
        "way_back": _way_back(documents),
        "form": form if decision.asks_why else None,
    }
    return owner_page(
        request,
        "admin/documents/document/decide.html",
        context,
        title=decision.asked(len(documents)),
    )


def _named_in(request: HttpRequest) -> list[Document]:
    ids = given_uuids(request.GET.get("ids", ""), MAX_AT_ONCE)
    documents = list(Document.objects.visible_including_quarantined(owners_view(request)).filter(pk__in=ids))
    if len(documents) != len(ids):
        raise Http404
    return documents


def _way_back(documents: Sequence[Document]) -> str:
    if len(documents) == 1:
        return reverse("admin:documents_document_change", args=[documents[0].pk])
    return reverse(LIST)


def _carry_out(request: HttpRequest, decision: Decision, ids: Sequence[uuid.UUID], reason: str) -> HttpResponse:
    """Apply the decision to each document in a transaction of its own, and report how many it applied to."""
    actor = acting_owner(owner_id(request))
    done: list[uuid.UUID] = []
    shown_id = ids[0]
    for document_id in ids:
        try:
            other = decision.apply(actor, document_id, reason)
        except MemoriesError as error:
            messages.error(request, str(error))
        else:
            done.append(document_id)
            shown_id = other.pk if other else shown_id
    if done:
        say(request, decision.reported(len(done)), undo_url=_url(RESTORE, done) if decision is FORGET else "")
    if len(ids) > 1 or (decision.is_permanent and done):
        return redirect(LIST)
    return redirect("admin:documents_document_change", shown_id)
