"""List of documents, and the URLs of their pages. Every write goes through the domain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.defaultfilters import filesizeformat
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils.formats import date_format
from django.utils.text import Truncator
from unfold.decorators import display

from documents.admin.decision_pages import MAX_AT_ONCE, ask, decide_page
from documents.admin.decisions import ACCEPT, DECISIONS, DELETE, FORGET, RESTORE, RETRY, url_name
from documents.admin.document_page import document_page
from documents.admin.downloads import download_page
from documents.admin.file_types import file_type_of
from documents.admin.filters import SourceFilter, StateFilter, TagFilter
from documents.admin.ids import given_uuid
from documents.admin.search import DocumentChangeList, matching
from documents.admin.sources import source_label
from documents.admin.states import State, newest_version, newest_versions, state_of
from documents.admin.upload_page import upload_page
from documents.models import Document, DocumentQuerySet
from documents.review_count import count_awaiting_review, review_text
from memories.admin.base import OwnedAdmin, owners_view
from memories.errors import MemoriesError

SHOWN_CHARS = 120
SHOWN_PROBLEM_CHARS = 90
STATE_COLOURS = {
    State.READY: "success",
    State.WAITING: "info",
    State.NO_TEXT: "warning",
    State.UNREADABLE: "danger",
    State.IN_REVIEW: "info",
    State.FORGOTTEN: "danger",
}


@admin.register(Document)
class DocumentAdmin(OwnedAdmin):
    list_display = ("shown_title", "file_type", "shown_source", "pages", "shown_tags", "state", "size", "updated")
    list_display_links = ("shown_title",)
    list_filter = (StateFilter, SourceFilter, TagFilter)
    list_per_page = MAX_AT_ONCE
    list_before_template = "admin/documents/document/awaiting_review.html"
    search_fields = ("title",)
    search_help_text = "Search titles and texts"
    ordering = ("-updated_at", "-pk")
    sortable_by = ("shown_title", "updated")
    actions = ("forget", "restore", "retry", "accept", "delete_permanently")

    def get_queryset(self, request: HttpRequest) -> DocumentQuerySet:
        documents = Document.objects.visible_including_quarantined(owners_view(request))
        return documents.defer("metadata").prefetch_related(newest_versions())

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the list, with a link to the documents that await review if there are any."""
        count = count_awaiting_review(request)
        shown = {"awaiting_review": review_text(count) if count else "", **(extra_context or {})}
        return super().changelist_view(request, shown)

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[DocumentChangeList]:
        return DocumentChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: DocumentQuerySet, search_term: str
    ) -> tuple[DocumentQuerySet, bool]:
        """Return the matches in `queryset`. A search that fails finds nothing and shows the error."""
        if not search_term.strip():
            return queryset, False
        try:
            return matching(owners_view(request), queryset, search_term.strip()), False
        except MemoriesError as error:
            messages.error(request, str(error))
            return queryset.none(), False

    # --- The columns

    @admin.display(description="title", ordering="title")
    def shown_title(self, document: Document) -> str:
        return Truncator(document.title).chars(SHOWN_CHARS)

    @admin.display(description="type", empty_value="—")
    def file_type(self, document: Document) -> str | None:
        version = newest_version(document)
        return (version and file_type_of(version)) or None

    @admin.display(description="source")
    def shown_source(self, document: Document) -> str:
        return source_label(document.source)

    @admin.display(description="pages", empty_value="—")
    def pages(self, document: Document) -> int | None:
        version = newest_version(document)
        return version.pages if version else None

    @admin.display(description="tags")
    def shown_tags(self, document: Document) -> str:
        return render_to_string("memories/tags.html", {"tags": document.tags})

    @display(description="state", label=STATE_COLOURS)  # type: ignore[untyped-decorator]  # the library has no types
    def state(self, document: Document) -> State | tuple[State, str]:
        """Return the state, with the problem if the file could not be read."""
        state, version = state_of(document), newest_version(document)
        if state is State.UNREADABLE and version is not None:
            return state, f"{state}: {Truncator(version.problem).chars(SHOWN_PROBLEM_CHARS)}"
        return state

    @admin.display(description="size", empty_value="—")
    def size(self, document: Document) -> str | None:
        version = newest_version(document)
        return filesizeformat(version.original.size_bytes) if version else None

    @admin.display(description="updated", ordering="updated_at")
    def updated(self, document: Document) -> str:
        return date_format(document.updated_at)

    # --- The actions

    @admin.action(description="Forget")
    def forget(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return ask(FORGET, queryset)

    @admin.action(description="Restore")
    def restore(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return ask(RESTORE, queryset)

    @admin.action(description="Retry reading")
    def retry(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return ask(RETRY, queryset)

    @admin.action(description="Accept")
    def accept(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return ask(ACCEPT, queryset)

    @admin.action(description="Delete permanently")
    def delete_permanently(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return ask(DELETE, queryset)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return all actions but Django's own deletion, which bypasses the domain."""
        actions: dict[str, Any] = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    # --- The other pages

    def get_urls(self) -> list[URLPattern]:
        """Return Django's URLs, a page for each decision, and the downloads of originals."""

        def page(url: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return path(url, self.admin_site.admin_view(view), name=name)  # type: ignore[no-any-return]

        decisions = [
            page(f"{decision.name}/", partial(decide_page, decision), url_name(decision)) for decision in DECISIONS
        ]
        download = page(
            "<uuid:document_id>/versions/<int:number>/original/", download_page, "documents_document_original"
        )
        return [*decisions, download, *super().get_urls()]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: object = None) -> HttpResponse:
        """Return the upload page."""
        return upload_page(request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: object = None
    ) -> HttpResponse:
        """Return the page of a document."""
        return document_page(request, given_uuid(object_id))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: object = None) -> HttpResponse:
        """Redirect to the page that asks before it deletes a document permanently."""
        return redirect(f"{reverse(f'admin:{url_name(DELETE)}')}?ids={given_uuid(object_id)}")

    def history_view(self, request: HttpRequest, object_id: str, extra_context: object = None) -> HttpResponse:
        """Redirect to the page of the document: Django's log has no entries."""
        return redirect("admin:documents_document_change", given_uuid(object_id))
