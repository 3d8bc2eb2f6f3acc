"""The owner's page *Activity*: every call of every app, newest first."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.pages.admin_list import TimeFilter
from common.pages.list_rows import Flag, ListWords, Row
from common.pages.relative_times import exact_time, plural
from customtools.registry import definitions_of
from documents.models import Document
from mcpapi.admin.call_words import result_of, title_of_call, title_of_tool
from mcpapi.catalog import catalog
from mcpapi.models import AuditLine
from mcpapi.observability.activity_queries import apps_of, calls_about, calls_about_any
from memories.access import View
from memories.admin.base import ReadOnlyOwnedAdmin, owner_id
from memories.errors import MemoriesError
from memories.models import Memory
from memories.queries.selectors import search_text

SHOWN_CHARS = 120
"""The part of a memory that a link shows."""

SEARCHED_MEMORIES = 50
"""Number of memories with the typed words whose calls are found."""

REMEMBER, REMEMBER_BATCH = "remember", "remember_batch"
"""The tools that store one memory, or several, and return similar ones."""

APPROVAL_NEEDED = "APPROVAL_TIMED_OUT"
"""The result of a call that its owner had not decided about yet. It is not a failure."""

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
    title = gettext_lazy("what")
    parameter_name = "tool"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        own = {tool.name for tool in definitions_of(owner_id(request))}
        titles = [(name, title_of_tool(name)) for name in {*catalog().tools_by_name, *own}]
        return sorted(titles, key=lambda title: (title[1].casefold(), title[0]))

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditLine]) -> QuerySet[AuditLine]:
        return queryset.filter(tool=tool) if (tool := self.value()) else queryset


class ResultFilter(SimpleListFilter):
    title = gettext_lazy("result")
    parameter_name = "result"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [
            ("ok", _("Done")),
            ("dry_run", str(DRY_RUN)),
            ("asked", _("Asked for your approval")),
            ("failed", _("Failed or refused")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditLine]) -> QuerySet[AuditLine]:
        match self.value():
            case "ok":
                return queryset.filter(result=AuditLine.OK, dry_run=False)
            case "dry_run":
                return queryset.filter(result=AuditLine.OK, dry_run=True)
            case "asked":
                return queryset.filter(result=APPROVAL_NEEDED)
            case "failed":
                return queryset.exclude(result__in=[AuditLine.OK, APPROVAL_NEEDED])
        return queryset


@admin.register(AuditLine)
class AuditLineAdmin(ReadOnlyOwnedAdmin):
    list_words = ListWords(
        gettext_lazy("No app has called yet"),
        gettext_lazy("Everything that an app asks of OwnSona is listed here, with what it read and changed."),
        intro=gettext_lazy(
            "Everything that your apps have asked of OwnSona. Open a line to see what an app read or changed."
        ),
        symbol="bolt",
    )
    list_filter = (AppFilter, ToolFilter, ResultFilter, ("at", TimeFilter))
    search_fields = ("memory_ids", "document_ids")
    search_help_text = gettext_lazy("Words of a memory, or an id")
    ordering = ("-at", "-id")
    fields = (
        *("app", "when", "outcome", "all_memories", "all_documents"),
        *("called", "code", "took", "app_id", "revision", "session_mark"),
    )
    readonly_fields = fields
    technical_fields = ("called", "code", "took", "app_id", "revision", "session_mark")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditLine], search_term: str
    ) -> tuple[QuerySet[AuditLine], bool]:
        """Filter by the calls that showed or changed what has this id, or memories that contain the words."""
        wanted = search_term.strip().removeprefix("#")
        if not wanted:
            return queryset, False
        item_id = _item_id(wanted)
        if item_id is None:
            return calls_about_any(queryset, _memories_with(request, wanted)), False
        return calls_about(queryset, item_id), False

    def row(self, obj: AuditLine) -> Row:
        slow = [_("took %(time)s") % {"time": self.took(obj)}] if obj.milliseconds >= SECOND else []
        return Row(
            title_of_call(obj),
            said=[obj.client_name, *_counts(obj), *slow],
            at=obj.at,
            flags=_flags(obj),
            app=obj.client_name,
        )

    @admin.display(description=gettext_lazy("when"))
    def when(self, line: AuditLine) -> str:
        return exact_time(line.at)

    @admin.display(description=gettext_lazy("app"))
    def app(self, line: AuditLine) -> str:
        """Return the app's name at the time of the call."""
        return line.client_name

    @admin.display(description=gettext_lazy("memories"))
    def all_memories(self, line: AuditLine) -> str:
        """Return links to all recorded memories, with their texts as they are now. One query."""
        view = View.whole(line.owner_id)
        found = Memory.objects.visible_including_quarantined(view).in_bulk(line.memory_ids)
        gone = _("permanently deleted")
        texts = [found[number].text if number in found else f"#{number} ({gone})" for number in line.memory_ids]
        urls = [_url_of(number, found) for number in line.memory_ids]
        if _shows_similar(line):
            stored, similar = _links(urls[:1], texts[:1], 1), _links(urls[1:], texts[1:], line.memory_count - 1)
            heading = _("Similar memories that were returned:")
            return format_html('{}<span class="part sm quiet">{}</span>{}', stored, heading, similar)
        return _links(urls, texts, line.memory_count)

    @admin.display(description=gettext_lazy("documents"))
    def all_documents(self, line: AuditLine) -> str:
        """Return links to all recorded documents, with their titles as they are now. One query."""
        view = View.whole(line.owner_id)
        found = Document.objects.visible_including_quarantined(view).in_bulk(line.document_ids)
        gone = _("permanently deleted")
        titles = [found[each].title if each in found else f"{each} ({gone})" for each in line.document_ids]
        urls = [_url_of(each, found) for each in line.document_ids]
        return _links(urls, titles, line.document_count)

    @admin.display(description=gettext_lazy("result"))
    def outcome(self, line: AuditLine) -> str:
        if failed := result_of(line):
            return failed
        return str(DRY_RUN) if line.dry_run else _("Done")

    @admin.display(description=gettext_lazy("call"))
    def called(self, line: AuditLine) -> str:
        return line.tool or line.method

    @admin.display(description=gettext_lazy("result code"))
    def code(self, line: AuditLine) -> str:
        return line.result

    @admin.display(description=gettext_lazy("id of the app"))
    def app_id(self, line: AuditLine) -> str:
        return line.client_id

    @admin.display(description=gettext_lazy("version of the protocol"))
    def revision(self, line: AuditLine) -> str:
        return line.protocol_version

    @admin.display(description=gettext_lazy("session"))
    def session_mark(self, line: AuditLine) -> str:
        return line.session

    @admin.display(description=gettext_lazy("took"))
    def took(self, line: AuditLine) -> str:
        if line.milliseconds < SECOND:
            return f"{line.milliseconds:.0f} ms"
        if line.milliseconds < LONG:
            return f"{number_format(round(line.milliseconds / SECOND, 1), 1)} s"
        return _long_duration(round(line.milliseconds / SECOND))


def _long_duration(seconds: int) -> str:
    """Return the two largest units of a duration, as they are written in every language: "1 min 15 s"."""
    units = {"d": seconds // 86_400, "h": seconds // 3_600 % 24, "min": seconds // 60 % 60, "s": seconds % 60}
    return " ".join([f"{number} {unit}" for unit, number in units.items() if number][:2])


def _memories_with(request: HttpRequest, words: str) -> list[int]:
    """Return the ids of the newest active memories that contain the words."""
    try:
        found = search_text(View.whole(owner_id(request)), words, limit=SEARCHED_MEMORIES, include_expired=True)
    except MemoriesError:
        return []
    return [memory.pk for memory in found]


def _item_id(text: str) -> int | UUID | None:
    """Return the id of a memory, a number, or of a document, a UUID; None for any other text."""
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        return UUID(text)
    except ValueError:
        return None


def _shows_similar(line: AuditLine) -> bool:
    """Return whether the call stored one memory, the first, and was shown others that are similar."""
    return line.tool == REMEMBER and line.memory_count > 1


def _counts(line: AuditLine) -> list[str]:
    """Return how many memories and documents the call returned or changed."""
    if _shows_similar(line):
        return [
            plural(1, "memory", "memories"),
            _("%(number)s similar") % {"number": number_format(line.memory_count - 1)},
        ]
    memories = plural(line.memory_count, "memory", "memories")
    if line.tool == REMEMBER_BATCH:
        # The ids of several items do not say which memories were stored and which are similar to them.
        memories = _("%(memories)s stored or similar") % {"memories": memories}
    return [
        *([memories] if line.memory_count else []),
        *([plural(line.document_count, "document")] if line.document_count else []),
    ]


def _flags(line: AuditLine) -> list[Flag]:
    if failed := result_of(line):
        return [Flag(failed, "warn" if line.result == APPROVAL_NEEDED else "bad")]
    return [Flag(str(DRY_RUN))] if line.dry_run else []


def _url_of(key: int | UUID, found: Container[int | UUID]) -> str:
    """Return the address of a memory or document, empty if it is not among those that were found."""
    if key not in found:
        return ""
    page = "memories_memory" if isinstance(key, int) else "documents_document"
    return reverse(f"admin:{page}_change", args=[key])


def _links(urls: Sequence[str], texts: Sequence[str], count: int) -> SafeString | str:
    """Return a line for each text, with a link if it has a URL, and the number of the others; empty if `count` is 0.

    `count` is the number of all.
    """
    if not count:
        return ""
    shown = [(url, Truncator(text).chars(SHOWN_CHARS)) for url, text in zip(urls, texts, strict=True)]
    links = format_html_join("", '<span class="part">{}</span>', ((_link(url, text),) for url, text in shown))
    more = count - len(shown)
    return format_html("{}{}", links, _("and {count} more").format(count=more) if more else "")


def _link(url: str, text: str) -> SafeString | str:
    return format_html('<a class="link" href="{}">{}</a>', url, text) if url else text
