"""The page of the log of custom tools."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from common.pages.list_rows import Flag, ListWords, Row, in_a_line
from common.pages.relative_times import exact_time
from common.pages.translated import translated
from customtools.models import ToolLogLine
from memories.admin.base import ReadOnlyOwnedAdmin

LEVELS = {
    ToolLogLine.Level.INFO: gettext_noop("Logged by the tool"),
    ToolLogLine.Level.ERROR: gettext_noop("The call failed"),
    ToolLogLine.Level.TIMEOUT: gettext_noop("It took too long"),
}

TEST_RUN = gettext_noop("Test run")
"""The name of the app in lines about test runs of the owner."""


class LevelFilter(SimpleListFilter):
    title = _("kind")
    parameter_name = "level"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [(level.value, gettext(text)) for level, text in LEVELS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ToolLogLine]) -> QuerySet[ToolLogLine]:
        return queryset.filter(level=level) if (level := self.value()) in LEVELS else queryset


@admin.register(ToolLogLine)
class ToolLogLineAdmin(ReadOnlyOwnedAdmin):
    list_title = _("Log of custom tools")
    list_words = ListWords(
        _("Nothing was logged yet"), _("What a tool logs, and why a call failed, is listed here."), symbol="clock"
    )
    list_filter = (LevelFilter,)
    search_fields = ("tool", "text")
    ordering = ("-at", "-pk")
    fields = ("app", "when", "outcome", "text_shown")
    readonly_fields = fields

    @admin.display(description=_("app"))
    def app(self, line: ToolLogLine) -> str:
        return _shown_app(line)

    @admin.display(description=_("when"))
    def when(self, line: ToolLogLine) -> str:
        return exact_time(line.at)

    @admin.display(description=_("kind"))
    def outcome(self, line: ToolLogLine) -> str:
        return gettext(LEVELS[ToolLogLine.Level(line.level)])

    @admin.display(description=_("text"))
    def text_shown(self, line: ToolLogLine) -> str:
        """Return what the tool logged, as it is, or why the call failed."""
        return line.text if line.level == ToolLogLine.Level.INFO else translated(line.text)

    def row(self, obj: ToolLogLine) -> Row:
        flags = [Flag(in_a_line(self.outcome(obj)), "bad")] if obj.level != ToolLogLine.Level.INFO else []
        said = [obj.tool, *([_shown_app(obj)] if obj.client_name else [])]
        return Row(self.text_shown(obj), said=said, at=obj.at, flags=flags)

    def heading(self, obj: ToolLogLine) -> str:
        return obj.tool


def _shown_app(line: ToolLogLine) -> str:
    return gettext(TEST_RUN) if line.client_name == TEST_RUN else line.client_name
