"""The owner's page of sessions: the clients that have connected, and when they were last seen."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.pages.list_rows import ListWords, Row
from mcpapi.models import Session
from memories.admin.base import ReadOnlyOwnedAdmin


@admin.register(Session)
class SessionAdmin(ReadOnlyOwnedAdmin):
    list_words = ListWords(
        _("No app has opened a session"),
        _("Apps of the older protocol versions open one when they connect."),
        symbol="clock",
    )
    ordering = ("-last_seen_at",)
    fields = ("client", "protocol_version", "created_at", "last_seen_at")
    readonly_fields = fields

    def row(self, obj: Session) -> Row:
        name = self.client(obj)
        return Row(
            name,
            said=[gettext("protocol {version}").format(version=obj.protocol_version)],
            at=obj.last_seen_at,
            app=name,
            is_title=True,
        )

    @admin.display(description=_("app"))
    def client(self, session: Session) -> str:
        """Return the client's name for itself."""
        named = session.client_info
        return " ".join(str(named[key]) for key in ("name", "version") if named.get(key)) or session.client_id
