"""Page of a document: what is known about it, its versions, its text, and the form for its title and tags."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib import messages
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from common.pages.owner_pages import owner_page
from documents.admin.decisions import ACCEPT, DELETE, FORGET, RESTORE, RETRY, Decision, url_name
from documents.admin.file_types import file_type_of, length_of
from documents.admin.forms import DocumentForm
from documents.admin.sources import source_label, web_address
from documents.admin.states import State, state_of_version, versions_without_text
from documents.admin.text_parts import end_of_part, pieces_of, start_of_part
from documents.drafts import ADDED
from documents.extraction.media_types import FIXED_WIDTH
from documents.models import Document, Version
from documents.selectors import TextPart, documents_with_original, read_text
from documents.writing.changing import change_document
from documents.writing.retrying import is_retryable
from memories.admin.base import acting_owner, given_id, owner_id, owners_view
from memories.admin.changes.kinds import joined, somebody_did
from memories.admin.changes.lines import ChangeLine, change_lines
from memories.admin.errors import add_domain_error
from memories.admin.history import client_label, client_name
from memories.errors import MemoriesError
from memories.models import JournalEntry
from memories.queries.clients import client_names
from memories.undo.undone import with_undone

SHOWN_TEXT_CHARS = 20_000
SHOWN_VERSIONS = 20
SHOWN_CHANGES = 20
SHOWN_SAME = 5
"""Number of other documents with the same content that the page links to."""
MAX_START = 1_000_000_000
"""No text has more characters: a column cannot hold them."""

_DONE: Mapping[str, str] = {
    JournalEntry.Operation.REMEMBER: gettext_noop("added the document"),
    JournalEntry.Operation.UPDATE: gettext_noop("changed the document"),
    JournalEntry.Operation.FORGET: gettext_noop("forgot the document"),
    JournalEntry.Operation.RESTORE: gettext_noop("restored the document"),
    JournalEntry.Operation.ACCEPT: gettext_noop("accepted the document"),
    JournalEntry.Operation.REJECT: gettext_noop("forgot the document"),
    JournalEntry.Operation.UNDO: gettext_noop("undid changes to the document"),
    JournalEntry.Operation.REDO: gettext_noop("redid undone changes to the document"),
}
_CHANGED: Mapping[str, str] = {
    "content": gettext_noop("added a new version"),
    "title": gettext_noop("changed the title"),
    "tags": gettext_noop("changed the tags"),
}
"""The words for a change of nothing but this field."""


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version as the page shows it."""

    version: Version
    state: State
    file_type: str
    length: str
    is_current: bool


def document_page(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    """Show a document of the logged-in owner (GET), or save its title and tags (POST). `start` is where its text is."""
    document = _document(request, document_id)
    is_editable = document.deleted_at is None
    form = _form(request, document)
    if request.method == "POST" and is_editable and form.is_valid() and _save(request, document, form):
        return redirect("admin:documents_document_change", document.pk)
    start = given_id(request.GET.get("start", "0"))
    if start > MAX_START:
        raise Http404
    versions = _versions(document)
    newest = versions[0] if versions else None
    text = _text(document, start)
    context = {
        "crumb": {"url": reverse("admin:documents_document_changelist"), "title": gettext("Documents")},
        "document": document,
        "form": form if is_editable else None,
        "state": _state(document, newest),
        "newest": newest,
        "versions": versions,
        "same": _same_content(request, document, newest),
        "secrets": joined(map(gettext, newest.version.secrets)) if newest and newest.version.secrets else "",
        "source": source_label(document.source),
        "address": web_address(document.source_url),
        "added_by": client_label(document.client, document.client_name),  # type: ignore[attr-defined]  # annotated
        "quarantined_by": document.quarantined_from is not None and document.deleted_at is None,
        "changes": _changes(request, document),
        "is_code": newest is not None and newest.version.media_type in FIXED_WIDTH,
        "text": text,
        "pieces": pieces_of(text, document.title),
        "before": _previous_start(document, start) if start else None,
        "immediate": [_button(decision, document) for decision in _immediate(document, newest)],
        "forget": None if document.deleted_at else _button(FORGET, document),
        "delete": _button(DELETE, document),
        "takes_versions": is_editable and document.quarantined_from is None and document.source == ADDED,
    }
    return owner_page(request, "admin/documents/document/page.html", context, title=document.title)


def _document(request: HttpRequest, document_id: uuid.UUID) -> Document:
    documents = Document.objects.visible_including_quarantined(owners_view(request)).annotate(client=F("stored_by"))
    document = documents.annotate(client_name=client_name()).filter(pk=document_id).first()
    if document is None:
        raise Http404
    return document


def _changes(request: HttpRequest, document: Document) -> list[tuple[str, ChangeLine]]:
    """Return the last changes, newest first, each with a sentence about it. Four queries."""
    newest_first = JournalEntry.objects.filter(owner_id=document.owner_id, document_id=document.pk).order_by("-pk")
    entries = list(with_undone(newest_first)[:SHOWN_CHANGES])
    lines = change_lines(owners_view(request), entries)
    names = client_names({line.client for line in lines})
    return [
        (somebody_did(line.client, names[line.client], gettext(_what_was_done(entry))), line)
        for entry, line in zip(entries, lines, strict=True)
    ]


def _what_was_done(entry: JournalEntry) -> str:
    done = _DONE.get(entry.operation, _DONE[JournalEntry.Operation.UPDATE])
    if entry.operation != JournalEntry.Operation.UPDATE or len(entry.after) != 1:
        return done
    return _CHANGED.get(next(iter(entry.after)), done)


def _form(request: HttpRequest, document: Document) -> DocumentForm:
    initial = {"title": document.title, "tags": document.tags}
    return DocumentForm(request.POST if request.method == "POST" else None, initial=initial)


def _save(request: HttpRequest, document: Document, form: DocumentForm) -> bool:
    """Save what the form changes. Return whether the domain accepted it."""
    changed = {name: form.cleaned_data[name] for name in form.changed_data}
    try:
        change_document(acting_owner(owner_id(request)), document.pk, **changed)
    except MemoriesError as error:
        add_domain_error(form, error)
        return False
    messages.success(request, gettext("Saved.") if changed else gettext("Nothing was changed."))
    return True


def _text(document: Document, start: int) -> TextPart:
    """Return the part of the text that begins at `start`. Two queries."""
    part = read_text(document, start, SHOWN_TEXT_CHARS)
    return part if part.next_start is None else replace(part, text=part.text[: end_of_part(part.text)])


def _previous_start(document: Document, start: int) -> int:
    """Return where the part before the one at `start` begins. Two queries, or none."""
    earliest = start - SHOWN_TEXT_CHARS
    if earliest <= 0:
        return 0
    return earliest + start_of_part(read_text(document, earliest, SHOWN_TEXT_CHARS).text)


def _versions(document: Document) -> Sequence[VersionRow]:
    """Return the last versions, newest first."""
    versions = versions_without_text().filter(document=document).order_by("-number")[:SHOWN_VERSIONS]
    return [
        VersionRow(
            version,
            state_of_version(version),
            file_type_of(version),
            length_of(version),
            version.pk == document.current_id,
        )
        for version in versions
    ]


def _same_content(
    request: HttpRequest, document: Document, newest: VersionRow | None
) -> Sequence[tuple[Document, str]]:
    """Return other documents with the content of the newest version, and the labels of their sources. One query."""
    if newest is None or document.deleted_at is not None:
        return ()
    others = documents_with_original(owners_view(request), newest.version.original_id).exclude(pk=document.pk)
    return [(other, source_label(other.source)) for other in others.newest_first()[:SHOWN_SAME]]


def _state(document: Document, newest: VersionRow | None) -> State:
    if document.deleted_at is not None:
        return State.FORGOTTEN
    if document.quarantined_from is not None:
        return State.IN_REVIEW
    return newest.state if newest else State.WAITING


def _immediate(document: Document, newest: VersionRow | None) -> list[Decision]:
    """Return the decisions that need no confirmation."""
    if document.deleted_at is not None:
        return [RESTORE]
    decisions = [] if document.quarantined_from is None else [ACCEPT]
    return [*decisions, RETRY] if newest is not None and _may_succeed(newest) else decisions


def _may_succeed(newest: VersionRow) -> bool:
    """Return whether another attempt to read it may help. After an update, the list offers it for any document."""
    version = newest.version
    return is_retryable(version, has_text=newest.state is not State.NO_TEXT) and not version.is_final


def _button(decision: Decision, document: Document) -> tuple[str, str]:
    """Return the label and the URL of a button."""
    return gettext(decision.verb), f"{reverse(f'admin:{url_name(decision)}')}?ids={document.pk}"
