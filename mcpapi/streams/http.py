"""Standing streams over HTTP: the one that GET opens, and the one that answers `subscriptions/listen`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from mcpapi.context import Caller
from mcpapi.dispatch import Listening
from mcpapi.jsonrpc import RATE_LIMITED, RpcError
from mcpapi.rate_limit import spend
from mcpapi.streams.event_stream import EventStream
from mcpapi.streams.hub import hub
from mcpapi.streams.standing import StandingStream
from mcpapi.streams.wants import Notification, Wants
from mcpapi.tools.base import READ
from memories.recent_changes import changes_since
from memories.view import View
from oauthserver.bearer import Forbidden, Principal, Unauthorized, authenticate

EVENT_ID = re.compile(r"([0-9a-f]{1,11})-[\w-]{8}-[0-9]{1,9}")
OVERLAP = timedelta(seconds=5)
"""From when before the last event a client is told again: a change is known only when it is committed."""

RESUMABLE_FOR = timedelta(days=1)
RETRY_AFTER_SECONDS = 30


def accepts_events(request: HttpRequest) -> bool:
    """Whether the client can read an event stream; who does not say what it can read, can."""
    accepted = request.headers.get("Accept", "*/*")
    return any(kind in accepted for kind in ("text/event-stream", "text/*", "*/*"))


def session_stream(request: HttpRequest, caller: Caller) -> EventStream:
    """What `GET` opens: all that the caller's session wants to hear of (MCP 2025-11-25, transports).

    After `Last-Event-ID` it begins with what has changed since that event was sent. Raises RpcError (HTTP 429).
    """
    spend(caller.principal, 1)
    _refuse_too_many(caller.principal)
    subscribed = caller.session.subscriptions if caller.session is not None else []
    may_read = READ in caller.principal.scopes
    wants = Wants(frozenset(subscribed), resources_list=may_read, prompts_list=may_read)
    stream = StandingStream(caller.principal, wants, lambda: _may_stay(request, caller.principal), caller.session)
    return EventStream(stream.open([], lambda: _missed(request, caller.view, wants)))


def listening_stream(request: HttpRequest, principal: Principal, listening: Listening) -> EventStream:
    """What answers `subscriptions/listen`. Raises RpcError (HTTP 429)."""
    _refuse_too_many(principal)
    stream = StandingStream(
        principal, listening.wants, lambda: _may_stay(request, principal), farewell=listening.farewell
    )
    return EventStream(stream.open([listening.acknowledgement], lambda: []))


def _missed(request: HttpRequest, view: View, wants: Wants) -> Iterable[Notification]:
    last_event_id = request.headers.get("Last-Event-ID")
    if not last_event_id:
        return []
    found = EVENT_ID.fullmatch(last_event_id)
    sent_at = datetime.fromtimestamp(int(found[1], 16) / 1000, UTC) if found else None
    if sent_at is None or not timedelta() <= timezone.now() - sent_at + OVERLAP < RESUMABLE_FOR:
        return wants.everything()
    changes = changes_since(view, sent_at - OVERLAP)
    return wants.everything() if changes is None else wants.notifications(view, changes)


def _may_stay(request: HttpRequest, principal: Principal) -> bool:
    """Whether the token that opened the stream still stands, and for the same."""
    try:
        return authenticate(request) == principal
    except (Unauthorized, Forbidden):
        return False


def _refuse_too_many(principal: Principal) -> None:
    held = sum(listener.principal.permission == principal.permission for listener in hub.listeners())
    if held >= settings.MCP_MAX_STREAMS:
        raise RpcError(
            RATE_LIMITED,
            "Too many streams",
            reason="too_many_streams",
            status=429,
            headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
            details=f"An app may hold {settings.MCP_MAX_STREAMS} streams open: close one first.",
        )
