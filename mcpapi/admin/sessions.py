"""The owner's page of sessions: the clients that have connected, and when they were last seen."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.pages.list_rows import ListWords, Row
from common.pages.relative_times import exact_time, relative_time
from common.provided import Provided
from mcpapi.models import Session
from memories.admin.base import ReadOnlyOwnedAdmin, owner_id
from memories.admin.history import client_name

disconnected_clients: Provided[[int], QuerySet[Any]] = Provided("the apps that an owner has not connected any more")
"""Function that returns the client ids of the registered apps without a connection to an owner, by the owner's id."""


@admin.register(Session)
class SessionAdmin(ReadOnlyOwnedAdmin):
    list_words = ListWords(
        _("No app has opened a session"),
        _("Some apps open one when they connect; newer ones do not need one."),
        intro=_("The programs that have opened a session, and when they last used it."),
        symbol="clock",
    )
    ordering = ("-last_seen_at",)
    fields = ("program", "opened", "last_used", "protocol")
    readonly_fields = fields
    technical_fields = ("protocol",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Session]:
        own: QuerySet[Session] = super().get_queryset(request)
        own = own.exclude(client_id__in=disconnected_clients(owner_id(request)))
        return own.annotate(client=F("client_id")).annotate(app_name=client_name())

    def row(self, obj: Session) -> Row:
        app, program = getattr(obj, "app_name", None) or obj.client_id, self.program(obj)
        opened = gettext("opened {when}").format(when=relative_time(obj.created_at))
        used = gettext("last used {when}").format(when=relative_time(obj.last_seen_at))
        return Row(app, said=[*([program] if program else []), opened, used], app=app, is_title=True)

    def row_url(self, obj: Session) -> str:
        """Return the address of the page of a session. It has the hash in hexadecimal digits."""
        return self._url("change", bytes(obj.id_hash).hex())

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Session | None:
        """Return the session with this hash; None if there is none."""
        try:
            id_hash = bytes.fromhex(object_id)
        except ValueError:
            return None
        return self.get_queryset(request).filter(pk=id_hash).first()

    @admin.display(description=_("program"))
    def program(self, session: Session) -> str:
        """Return what the client calls itself; empty without a name."""
        named = session.client_info
        return " ".join(str(named[key]) for key in ("name", "version") if named.get(key))

    @admin.display(description=_("opened"))
    def opened(self, session: Session) -> str:
        return exact_time(session.created_at)

    @admin.display(description=_("last used"))
    def last_used(self, session: Session) -> str:
        return exact_time(session.last_seen_at)

    @admin.display(description=_("protocol version"))
    def protocol(self, session: Session) -> str:
        return session.protocol_version
