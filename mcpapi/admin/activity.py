"""The owner's page *Activity*: every call of every app, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display

from customtools.registry import definitions_of
from mcpapi.catalog import catalog
from mcpapi.models import AuditLine
from mcpapi.observability.activity_queries import apps_of, calls_about
from memories.admin.base import ReadOnlyOwnedAdmin, owner_id

SHOWN_IDS = 5
SHOWN_ID_CHARS = 8
"""The part of a document's id that a link shows."""

DRY_RUN = "Dry run: nothing changed"
LONG_MILLISECONDS = 10_000
"""From this duration on it is shown in seconds, minutes, hours and days: streams are open for long."""


class AppFilter(SimpleListFilter):
    title = "app"
    parameter_name = "app"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return apps_of(owner_id(request))

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditLine]) -> QuerySet[AuditLine]:
        return queryset.filter(client_id=app) if (app := self.value()) else queryset


class ToolFilter(SimpleListFilter):
    title = "tool"
    parameter_name = "tool"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        own = {tool.name for tool in definitions_of(owner_id(request))}
        return [(name, name) for name in sorted({*catalog().tools_by_name, *own})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditLine]) -> QuerySet[AuditLine]:
        return queryset.filter(tool=tool) if (tool := self.value()) else queryset


class ResultFilter(SimpleListFilter):
    title = "result"
    parameter_name = "result"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [("ok", "Done"), ("dry_run", DRY_RUN), ("failed", "Failed or refused")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditLine]) -> QuerySet[AuditLine]:
        match self.value():
            case "ok":
                return queryset.filter(result=AuditLine.OK, dry_run=False)
            case "dry_run":
                return queryset.filter(result=AuditLine.OK, dry_run=True)
            case "failed":
                return queryset.exclude(result=AuditLine.OK)
        return queryset


@admin.register(AuditLine)
class AuditLineAdmin(ReadOnlyOwnedAdmin):
    list_display = ("when", "app", "what", "concerned", "outcome", "took")
    list_display_links = ("when",)
    list_filter = (AppFilter, ToolFilter, ResultFilter, "at")
    search_fields = ("memory_ids", "document_ids")
    search_help_text = "Id of a memory or document"
    ordering = ("-at", "-id")
    sortable_by = ()
    fields = (
        *("when", "app", "client_id", "what", "all_memories", "all_documents"),
        *("outcome", "took", "protocol_version", "session"),
    )
    readonly_fields = fields

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditLine], search_term: str
    ) -> tuple[QuerySet[AuditLine], bool]:
        """Filter by the calls that showed or changed the memory or document with this id."""
        wanted = search_term.strip().removeprefix("#")
        if not wanted:
            return queryset, False
        item_id = _item_id(wanted)
        if item_id is None:
            messages.error(request, "Search for the id of a memory, such as 12, or the whole id of a document.")
            return queryset.none(), False
        return calls_about(queryset, item_id), False

    @admin.display(description="when")
    def when(self, line: AuditLine) -> str:
        return date_format(line.at, "DATETIME_FORMAT")

    @admin.display(description="app")
    def app(self, line: AuditLine) -> str:
        """Return the app's name at the time of the call."""
        return line.client_name

    @admin.display(description="what")
    def what(self, line: AuditLine) -> str:
        called = line.tool or line.method
        return f"{called}: {line.query}" if line.query else called

    @admin.display(description="memories, documents", empty_value="—")
    def concerned(self, line: AuditLine) -> SafeString | None:
        """Return links to the first memories and documents that the call returned or changed."""
        memories = _memory_links(line.memory_ids[:SHOWN_IDS], line.memory_count)
        documents = _document_links(line.document_ids[:SHOWN_IDS], line.document_count)
        if memories and documents:
            return format_html("<span>{}; {}</span>", memories, documents)
        return memories or documents

    @admin.display(description="memories", empty_value="—")
    def all_memories(self, line: AuditLine) -> SafeString | None:
        """Return links to all recorded memories."""
        return _memory_links(line.memory_ids, line.memory_count)

    @admin.display(description="documents", empty_value="—")
    def all_documents(self, line: AuditLine) -> SafeString | None:
        """Return links to all recorded documents."""
        return _document_links(line.document_ids, line.document_count)

    @display(description="result", label={"Done": "success", DRY_RUN: "info"})  # type: ignore[untyped-decorator]  # no types
    def outcome(self, line: AuditLine) -> str:
        if line.result != AuditLine.OK:
            return line.result
        return DRY_RUN if line.dry_run else "Done"

    @admin.display(description="took")
    def took(self, line: AuditLine) -> str:
        if line.milliseconds < LONG_MILLISECONDS:
            return f"{line.milliseconds:.0f} ms"
        return str(timedelta(seconds=round(line.milliseconds / 1000)))


def _item_id(text: str) -> int | UUID | None:
    """Return the id of a memory, a number, or of a document, a UUID; None for any other text."""
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        return UUID(text)
    except ValueError:
        return None


def _memory_links(shown: Sequence[int], count: int) -> SafeString | None:
    urls = [(reverse("admin:memories_memory_change", args=[number]), str(number)) for number in shown]
    return _links(urls, count)


def _document_links(shown: Sequence[UUID], count: int) -> SafeString | None:
    """Return links with the beginnings of the ids. The log does not contain titles."""
    urls = [(reverse("admin:documents_document_change", args=[each]), str(each)[:SHOWN_ID_CHARS]) for each in shown]
    return _links(urls, count)


def _links(shown: Sequence[tuple[str, str]], count: int) -> SafeString | None:
    """Return links with URLs and labels, and the number of the others; None if `count`, that of all, is 0."""
    if not count:
        return None
    links = format_html_join(", ", '<a href="{}">#{}</a>', shown)
    more = count - len(shown)
    # One element, so that a narrow page does not split it.
    return format_html("<span>{}{}</span>", links, f" and {more} more" if more else "")
