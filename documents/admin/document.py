"""List of documents, and the URLs of their pages. Every write goes through the domain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy

from documents.admin.decision_pages import MAX_AT_ONCE, ask, decide_page
from documents.admin.decisions import ACCEPT, DECISIONS, DELETE, FORGET, RESTORE, RETRY, url_name
from documents.admin.document_page import document_page
from documents.admin.downloads import download_page
from documents.admin.filters import SourceFilter, StateFilter, TagFilter
from documents.admin.ids import given_uuid
from documents.admin.list_page import list_page
from documents.admin.reading_states import reading_states
from documents.admin.search import DocumentChangeList, found_passages, matching
from documents.admin.states import newest_versions
from documents.admin.upload_page import upload_page
from documents.models import Document, DocumentQuerySet
from memories.admin.base import OwnedAdmin, owners_view
from memories.errors import MemoriesError


@admin.register(Document)
class DocumentAdmin(OwnedAdmin):
    list_filter = (StateFilter, SourceFilter, TagFilter)
    list_per_page = MAX_AT_ONCE
    search_fields = ("title",)
    search_help_text = gettext_lazy("Search titles and texts")
    ordering = ("-updated_at", "-pk")
    actions = ("forget", "restore", "retry", "accept", "delete_permanently")

    def get_queryset(self, request: HttpRequest) -> DocumentQuerySet:
        documents = Document.objects.visible_including_quarantined(owners_view(request))
        return documents.defer("metadata").prefetch_related(newest_versions())

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, or carry out an action on POST."""
        if request.method == "POST":
            return super().changelist_view(request, extra_context)
        try:
            changelist = self.get_changelist_instance(request)
        except IncorrectLookupParameters:
            return redirect(request.path)
        return list_page(request, changelist, changelist.when_empty)

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[DocumentChangeList]:
        return DocumentChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: DocumentQuerySet, search_term: str
    ) -> tuple[DocumentQuerySet, bool]:
        """Return the matches in `queryset`. A search that fails finds nothing and shows the error."""
        if not search_term.strip():
            return queryset, False
        try:
            found = found_passages(owners_view(request), search_term.strip())
            request.found_passages = found  # type: ignore[attr-defined]  # for the rows, see list_page
            return matching(queryset, search_term.strip(), found), False
        except MemoriesError as error:
            messages.error(request, str(error))
            return queryset.none(), False

    # --- The actions

    @admin.action(description=gettext_lazy("Forget"))
    def forget(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return ask(FORGET, queryset)

    @admin.action(description=gettext_lazy("Restore"))
    def restore(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return ask(RESTORE, queryset)

    @admin.action(description=gettext_lazy("Retry reading"))
    def retry(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return ask(RETRY, queryset)

    @admin.action(description=gettext_lazy("Accept"))
    def accept(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return ask(ACCEPT, queryset)

    @admin.action(description=gettext_lazy("Delete permanently"))
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
        reading = page("reading/", reading_states, "documents_document_reading")
        return [*decisions, download, reading, *super().get_urls()]

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
