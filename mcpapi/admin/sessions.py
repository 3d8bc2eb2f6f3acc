"""The owner's page of sessions: the clients that have connected, and when they were last seen."""

from __future__ import annotations

from django.contrib import admin

from mcpapi.models import Session
from memories.admin.base import ReadOnlyOwnedAdmin


@admin.register(Session)
class SessionAdmin(ReadOnlyOwnedAdmin):
    list_display = ("client", "protocol_version", "created_at", "last_seen_at")
    list_display_links = ("client",)
    ordering = ("-last_seen_at",)
    sortable_by = ()
    fields = ("client", "protocol_version", "created_at", "last_seen_at")
    readonly_fields = fields

    @admin.display(description="client")
    def client(self, session: Session) -> str:
        """Return the client's name for itself."""
        named = session.client_info
        return " ".join(str(named[key]) for key in ("name", "version") if named.get(key)) or session.client_id
