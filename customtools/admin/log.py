"""The page of the log of custom tools."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from common.pages.list_rows import Flag, ListWords, Row
from customtools.models import ToolLogLine
from memories.admin.base import ReadOnlyOwnedAdmin


@admin.register(ToolLogLine)
class ToolLogLineAdmin(ReadOnlyOwnedAdmin):
    list_title = _("Log of custom tools")
    list_words = ListWords(
        _("Nothing was logged yet"), _("What a tool logs, and why a call failed, is listed here."), symbol="clock"
    )
    list_filter = ("level",)
    search_fields = ("tool", "text")
    ordering = ("-at", "-pk")
    fields = ("tool", "client_name", "at", "level", "text")
    readonly_fields = fields

    def row(self, obj: ToolLogLine) -> Row:
        flags = [Flag(obj.get_level_display(), "bad")] if obj.level != ToolLogLine.Level.INFO else []
        said = [obj.tool, *([obj.client_name] if obj.client_name else [])]
        return Row(obj.text, said=said, at=obj.at, flags=flags)

    def heading(self, obj: ToolLogLine) -> str:
        return obj.tool
