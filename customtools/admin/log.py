"""The page of the log of custom tools."""

from __future__ import annotations

from django.contrib import admin

from customtools.models import ToolLogLine
from memories.admin.base import ReadOnlyOwnedAdmin


@admin.register(ToolLogLine)
class ToolLogLineAdmin(ReadOnlyOwnedAdmin):
    list_display = ("at", "tool", "level", "text", "client_name")
    list_display_links = ("at",)
    list_filter = ("level",)
    search_fields = ("tool", "text")
    ordering = ("-at", "-pk")
    fields = list_display
    readonly_fields = fields
