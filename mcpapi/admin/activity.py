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
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from common.pages.admin_list import TimeFilter
from common.pages.list_rows import Flag, ListWords, Row
from common.pages.relative_times import exact_time
from customtools.registry import definitions_of
from mcpapi.catalog import catalog
from mcpapi.models import AuditLine
from mcpapi.observability.activity_queries import apps_of, calls_about
from memories.admin.base import ReadOnlyOwnedAdmin, owner_id

SHOWN_IDS = 5
SHOWN_ID_CHARS = 8
"""The part of a document's id that a link shows."""

DRY_RUN = gettext_lazy("Dry run: nothing changed")
SECOND, LONG = 1_000, 10_000
"""In milliseconds: durations from which on seconds are shown, and hours, as streams stay open for long."""


class AppFilter(SimpleListFilter):
    title = gettext_lazy("app")
    parameter_name = "app"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return apps_of(owner_id(request))

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditLine]) -> QuerySet[AuditLine]:
        return queryset.filter(client_id=app) if (app := self.value()) else queryset


class ToolFilter(SimpleListFilter):
    title = gettext_lazy("tool")
    parameter_name = "tool"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        own = {tool.name for tool in definitions_of(owner_id(request))}
        return [(name, name) for name in sorted({*catalog().tools_by_name, *own})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditLine]) -> QuerySet[AuditLine]:
        return queryset.filter(tool=tool) if (tool := self.value()) else queryset


class ResultFilter(SimpleListFilter):
    title = gettext_lazy("result")
    parameter_name = "result"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [("ok", _("Done")), ("dry_run", str(DRY_RUN)), ("failed", _("Failed or refused"))]

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
    list_words = ListWords(
        gettext_lazy("No app has called yet"),
        gettext_lazy("Every call of every app is listed here, with what it read and changed."),
        symbol="bolt",
    )
    list_filter = (AppFilter, ToolFilter, ResultFilter, ("at", TimeFilter))
    search_fields = ("memory_ids", "document_ids")
    search_help_text = gettext_lazy("Id of a memory or document")
    ordering = ("-at", "-id")
    fields = (
        *("app", "when", "all_memories", "all_documents", "outcome", "took"),
        *("client_id", "protocol_version", "session"),
    )
    readonly_fields = fields
    technical_fields = ("client_id", "protocol_version", "session")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditLine], search_term: str
    ) -> tuple[QuerySet[AuditLine], bool]:
        """Filter by the calls that showed or changed the memory or document with this id."""
        wanted = search_term.strip().removeprefix("#")
        if not wanted:
            return queryset, False
        item_id = _item_id(wanted)
        if item_id is None:
            messages.error(request, _("Search for the id of a memory, such as 12, or the whole id of a document."))
            return queryset.none(), False
        return calls_about(queryset, item_id), False

    def row(self, obj: AuditLine) -> Row:
        flags = [Flag(obj.result.replace("_", " ").lower(), "bad")] if obj.result != AuditLine.OK else []
        return Row(
            self.what(obj),
            said=[obj.client_name, *_concerned(obj), self.took(obj)],
            at=obj.at,
            flags=[*flags, *([Flag(str(DRY_RUN))] if obj.dry_run and not flags else [])],
            app=obj.client_name,
        )

    @admin.display(description=gettext_lazy("when"))
    def when(self, line: AuditLine) -> str:
        return exact_time(line.at)

    @admin.display(description=gettext_lazy("app"))
    def app(self, line: AuditLine) -> str:
        """Return the app's name at the time of the call."""
        return line.client_name

    @admin.display(description=gettext_lazy("what"))
    def what(self, line: AuditLine) -> str:
        called = line.tool or line.method
        return f"{called}: {line.query}" if line.query else called

    @admin.display(description=gettext_lazy("memories"))
    def all_memories(self, line: AuditLine) -> str:
        """Return links to all recorded memories."""
        return _memory_links(line.memory_ids, line.memory_count) or ""

    @admin.display(description=gettext_lazy("documents"))
    def all_documents(self, line: AuditLine) -> str:
        """Return links to all recorded documents."""
        return _document_links(line.document_ids, line.document_count) or ""

    @admin.display(description=gettext_lazy("result"))
    def outcome(self, line: AuditLine) -> str:
        if line.result != AuditLine.OK:
            return line.result
        return str(DRY_RUN) if line.dry_run else _("Done")

    @admin.display(description=gettext_lazy("took"))
    def took(self, line: AuditLine) -> str:
        if line.milliseconds < SECOND:
            return f"{line.milliseconds:.0f} ms"
        if line.milliseconds < LONG:
            return f"{number_format(round(line.milliseconds / SECOND, 1), 1)} s"
        return str(timedelta(seconds=round(line.milliseconds / 1000)))


def _item_id(text: str) -> int | UUID | None:
    """Return the id of a memory, a number, or of a document, a UUID; None for any other text."""
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        return UUID(text)
    except ValueError:
        return None


def _concerned(line: AuditLine) -> list[SafeString]:
    """Return links to the first memories and documents that the call returned or changed."""
    memories = _memory_links(line.memory_ids[:SHOWN_IDS], line.memory_count)
    documents = _document_links(line.document_ids[:SHOWN_IDS], line.document_count)
    said = []
    if memories:
        said.append(format_html(ngettext("memory {}", "memories {}", line.memory_count), memories))
    if documents:
        said.append(format_html(ngettext("document {}", "documents {}", line.document_count), documents))
    return said


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
    return format_html("<span>{}{}</span>", links, " " + _("and {count} more").format(count=more) if more else "")
