"""Standing streams over HTTP: the one that GET opens, and the one that answers `subscriptions/listen`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from django.http import HttpRequest
from django.utils import timezone

from mcpapi.calls.context import Caller
from mcpapi.execution.responses import Listening
from mcpapi.http.event_stream import KEEP_ALIVE, EventStream, Outbox
from mcpapi.methods.subscriptions import wants_of_session
from mcpapi.observability.audit import record_stream
from mcpapi.state.rate_limit import spend
from mcpapi.subscriptions.filters import Notification, Wants
from mcpapi.subscriptions.streams import Present, StandingStream, refuse_too_many
from memories.access import View
from memories.events.replay import changes_since
from oauthserver.resource_server.bearer import (
    Forbidden,
    Principal,
    Unauthorized,
    authenticate_header,
    authorization_header,
)

EVENT_ID = re.compile(r"([0-9a-f]{1,11})-[\w-]{8}-[0-9]{1,9}")
OVERLAP = timedelta(seconds=5)
"""From when before the last event a client is told again: a change is known only when it is committed."""

RESUMABLE_FOR = timedelta(days=1)


def accepts_events(request: HttpRequest) -> bool:
    """Whether the client can read an event stream; who does not say what it can read, can."""
    accepted = request.headers.get("Accept", "*/*")
    return any(kind in accepted for kind in ("text/event-stream", "text/*", "*/*"))


def session_stream(request: HttpRequest, caller: Caller) -> EventStream:
    """What `GET` opens: all that the caller's session wants to hear of (MCP 2025-11-25, transports).

    After `Last-Event-ID` it begins with what has changed since that event was sent. Raises RpcError (HTTP 429).
    """
    spend(caller.principal, 1)
    refuse_too_many(caller.principal)
    wants = wants_of_session(caller)
    stream = StandingStream(caller.principal, wants, presence(request), Outbox, caller.session)
    opened = _opened(stream, [], lambda: _missed(request, caller.view, wants))
    record_stream(caller.principal, caller.session)
    return opened


def listening_stream(request: HttpRequest, principal: Principal, listening: Listening) -> EventStream:
    """What answers `subscriptions/listen`. Raises RpcError (HTTP 429)."""
    refuse_too_many(principal)
    stream = StandingStream(principal, listening.wants, presence(request), Outbox, farewell=listening.farewell)
    return _opened(stream, [listening.acknowledgement], lambda: [])


def _opened(
    stream: StandingStream[Outbox], first: Iterable[Notification], missed: Callable[[], Iterable[Notification]]
) -> EventStream:
    # The response's head goes out with the first of its content.
    stream.sink.put(KEEP_ALIVE)
    stream.open(first, missed)
    return EventStream(stream.sink)


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


def staying(request: HttpRequest, principal: Principal) -> Callable[[], bool]:
    """Says, whenever it is asked, whether the token of `request` still stands, and for the same."""
    present = presence(request)
    return lambda: present() == principal


def presence(request: HttpRequest) -> Present:
    """Says, whenever it is asked, who the token of `request` is good for; None where it is good for nothing.

    It keeps nothing else of the request, whose body may be large.
    """
    authorization = authorization_header(request)

    def present() -> Principal | None:
        try:
            return authenticate_header(authorization)
        except (Unauthorized, Forbidden):
            return None

    return present
