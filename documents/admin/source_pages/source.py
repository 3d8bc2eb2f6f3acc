"""List of sources, and the URLs of their pages. Every write goes through the domain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.formats import date_format
from django.utils.text import Truncator
from unfold.decorators import display
from unfold.views import ChangeList

from documents.admin.source_pages.add_page import add_page
from documents.admin.source_pages.labels import Outcome, kind_of, location_of, next_sync_in_words, outcome_of
from documents.admin.source_pages.remove_page import remove_page
from documents.admin.source_pages.settings_page import settings_page
from documents.admin.source_pages.source_page import source_page
from documents.admin.source_pages.sync_pages import ACTIONS, act
from documents.models import Document, Source
from documents.sources.selectors import health_problem
from memories.admin.base import OwnedAdmin, given_id

SHOWN_PROBLEM_CHARS = 90
OUTCOME_COLOURS = {Outcome.DONE: "success", Outcome.RUNNING: "info", Outcome.NEVER: "info", Outcome.FAILED: "danger"}


class SourceChangeList(ChangeList):  # type: ignore[misc]  # the library has no types
    """The list of sources."""

    when_empty = "No sources yet. Add a folder, a git repository, web pages or a bucket, and its files are imported."


@admin.register(Source)
class SourceAdmin(OwnedAdmin):
    list_display = ("shown_name", "kind_name", "location", "documents", "last_sync", "outcome", "next_sync")
    list_display_links = ("shown_name",)
    ordering = ("name", "pk")
    sortable_by = ()
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[Source]:
        sources: QuerySet[Source] = super().get_queryset(request)
        return sources.annotate(documents=_document_count())

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[SourceChangeList]:
        return SourceChangeList

    # --- The columns

    @admin.display(description="name")
    def shown_name(self, source: Source) -> str:
        return source.name

    @admin.display(description="kind")
    def kind_name(self, source: Source) -> str:
        return kind_of(source.kind).name

    @admin.display(description="location")
    def location(self, source: Source) -> str:
        return location_of(source)

    @admin.display(description="documents")
    def documents(self, source: Source) -> int:
        count: int = source.documents  # type: ignore[attr-defined]  # annotated
        return count

    @admin.display(description="last sync", empty_value="—")
    def last_sync(self, source: Source) -> str | None:
        moment = source.finished_at or source.started_at
        return date_format(moment, "DATETIME_FORMAT") if moment else None

    @display(description="outcome", label=OUTCOME_COLOURS)  # type: ignore[untyped-decorator]  # the library has no types
    def outcome(self, source: Source) -> Outcome | tuple[Outcome, str]:
        """Return the outcome of the last sync, with the problem if it failed."""
        outcome = outcome_of(source)
        if outcome is Outcome.FAILED:
            return outcome, f"{outcome}: {Truncator(health_problem(source)).chars(SHOWN_PROBLEM_CHARS)}"
        return outcome

    @admin.display(description="next sync")
    def next_sync(self, source: Source) -> str:
        return next_sync_in_words(source)

    # --- The other pages

    def get_urls(self) -> list[URLPattern]:
        """Return Django's URLs, those of the buttons, of the settings and of the removal."""

        def page(url: str, view: Callable[..., HttpResponse], name: str) -> URLPattern:
            return path(f"<int:source_id>/{url}/", self.admin_site.admin_view(view), name=f"documents_source_{name}")  # type: ignore[no-any-return]

        buttons = [page(name, partial(act, name), name) for name in ACTIONS]
        pages = [page("settings", settings_page, "settings"), page("remove", remove_page, "remove")]
        return [*buttons, *pages, *super().get_urls()]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: object = None) -> HttpResponse:
        """Return the page for a new source."""
        return add_page(request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: object = None
    ) -> HttpResponse:
        """Return the page of a source."""
        return source_page(request, given_id(object_id))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: object = None) -> HttpResponse:
        """Redirect to the page that asks what becomes of the documents."""
        return redirect("admin:documents_source_remove", given_id(object_id))

    def history_view(self, request: HttpRequest, object_id: str, extra_context: object = None) -> HttpResponse:
        """Redirect to the page of the source: Django's log has no entries."""
        return redirect("admin:documents_source_change", given_id(object_id))


def _document_count() -> Coalesce:
    """Return the number of documents of each source of a query that are not forgotten."""
    kept = Document.objects.not_deleted().filter(
        owner=OuterRef("owner"), source=OuterRef("name"), quarantined_from=None
    )
    counts = kept.order_by().values("source").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counts, output_field=IntegerField()), 0)
