"""Page of the journal: every change to every memory, newest first."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.text import Truncator

from memories.admin.base import ReadOnlyOwnedAdmin
from memories.admin.history import changes_of, client_label, client_name, operation_label
from memories.models import JournalEntry

SHOWN_CHARS = 120


@admin.register(JournalEntry)
class JournalEntryAdmin(ReadOnlyOwnedAdmin):
    list_display = ("when", "operation_in_words", "memory", "what_changed", "by", "undo")
    list_display_links = ("when",)
    list_filter = ("operation", "at")
    ordering = ("-id",)
    sortable_by = ()
    fields = ("when", "operation_in_words", "memory", "what_changed", "by", "change_set")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[JournalEntry]:
        own: QuerySet[JournalEntry] = super().get_queryset(request)
        return own.annotate(client_name=client_name())

    @admin.display(description="when")
    def when(self, entry: JournalEntry) -> str:
        return date_format(entry.at, "DATETIME_FORMAT")

    @admin.display(description="what")
    def operation_in_words(self, entry: JournalEntry) -> str:
        return operation_label(entry)

    @admin.display(description="memory")
    def memory(self, entry: JournalEntry) -> str:
        if entry.operation == JournalEntry.Operation.HARD_DELETE:
            return f"#{entry.memory_id}"
        url = reverse("admin:memories_memory_change", args=[entry.memory_id])
        return format_html('<a href="{}">#{}</a>', url, entry.memory_id)

    @admin.display(description="changed")
    def what_changed(self, entry: JournalEntry) -> str:
        if entry.operation == JournalEntry.Operation.REMEMBER:
            return Truncator(entry.after.get("text", "")).chars(SHOWN_CHARS)
        changed = "; ".join(f"{change.label}: {change.after or 'none'}" for change in changes_of(entry))
        return Truncator(changed).chars(SHOWN_CHARS)

    @admin.display(description="")
    def undo(self, entry: JournalEntry) -> str:
        if entry.operation == JournalEntry.Operation.HARD_DELETE:
            return ""
        return format_html('<a href="{}?change_set={}">Undo</a>', reverse("undo"), entry.change_set)

    @admin.display(description="by")
    def by(self, entry: JournalEntry) -> str:
        return client_label(entry.client, entry.client_name)  # type: ignore[attr-defined]  # annotated
