"""Long-lived notification streams over HTTP: the one that GET opens, and the one of `subscriptions/listen`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from django.http import HttpRequest
from django.utils import timezone

from documents.selectors import has_had_documents
from mcpapi.calls.caller import Caller
from mcpapi.execution.responses import Subscription
from mcpapi.http.event_stream import KEEP_ALIVE, EventStream, Outbox
from mcpapi.methods.subscriptions import session_filter
from mcpapi.observability.audit import record_stream
from mcpapi.state.rate_limit import consume_rate_limit
from mcpapi.subscriptions.filters import Notification, SubscriptionFilter
from mcpapi.subscriptions.streams import NotificationStream, PrincipalSource, check_stream_limit
from memories.access import View
from memories.events.replay import changes_since
from oauthserver.resource_server.bearer import Forbidden, Unauthorized, authenticate_header, authorization_header
from oauthserver.resource_server.principal import Principal

EVENT_ID = re.compile(r"([0-9a-f]{1,11})-[\w-]{8}-[0-9]{1,9}")
OVERLAP = timedelta(seconds=5)
"""The overlap of a resumed stream with the events before it: a change becomes visible only when it is committed."""

RESUMABLE_FOR = timedelta(days=1)


def may_accept_event_stream(request: HttpRequest) -> bool:
    """Return whether the client can read an event stream. A client without an Accept header can."""
    accepted = request.headers.get("Accept", "*/*")
    return any(kind in accepted for kind in ("text/event-stream", "text/*", "*/*"))


def session_stream(request: HttpRequest, caller: Caller) -> EventStream:
    """Open the stream of a GET: the notifications of the caller's session (MCP 2025-11-25, transports).

    After `Last-Event-ID` it begins with the changes since that event was sent. Raises RpcError (HTTP 429).
    """
    consume_rate_limit(caller.principal, 1)
    check_stream_limit(caller.principal)
    subscription_filter = session_filter(caller)
    stream = NotificationStream(
        caller.principal, subscription_filter, principal_source(request), Outbox, caller.session
    )
    opened = _opened(stream, [], lambda: _missed(request, caller.view, subscription_filter))
    record_stream(caller.principal, caller.session)
    return opened


def subscription_stream(request: HttpRequest, principal: Principal, subscription: Subscription) -> EventStream:
    """Open the stream that responds to `subscriptions/listen`. Raises RpcError (HTTP 429)."""
    check_stream_limit(principal)
    stream = NotificationStream(
        principal,
        subscription.filter,
        principal_source(request),
        Outbox,
        final_message=subscription.final_message,
    )
    return _opened(stream, [subscription.acknowledgement], lambda: [])


def _opened(
    stream: NotificationStream[Outbox], first: Iterable[Notification], missed: Callable[[], Iterable[Notification]]
) -> EventStream:
    # The head of the response is sent with its first content.
    stream.sink.put(KEEP_ALIVE)
    stream.open(first, missed)
    return EventStream(stream.sink)


def _missed(request: HttpRequest, view: View, subscription_filter: SubscriptionFilter) -> Iterable[Notification]:
    last_event_id = request.headers.get("Last-Event-ID")
    if not last_event_id:
        return []
    found = EVENT_ID.fullmatch(last_event_id)
    sent_at = datetime.fromtimestamp(int(found[1], 16) / 1000, UTC) if found else None
    if sent_at is None or not timedelta() <= timezone.now() - sent_at + OVERLAP < RESUMABLE_FOR:
        return subscription_filter.full_refresh()
    changes = changes_since(view, sent_at - OVERLAP)
    if changes is None:
        return subscription_filter.full_refresh()
    missed = list(subscription_filter.notifications(view, changes))
    if has_had_documents(view):
        # Documents have no journal, so it is unknown which of them have changed.
        missed += [each for each in subscription_filter.documents_may_have_changed() if each not in missed]
    return missed


def authorization_check(request: HttpRequest, principal: Principal) -> Callable[[], bool]:
    """Return a function that checks whether the token of `request` is still valid, with the same principal."""
    current_principal = principal_source(request)
    return lambda: current_principal() == principal


def principal_source(request: HttpRequest) -> PrincipalSource:
    """Return a function that returns the current principal of the token of `request`, or None if it is invalid.

    It keeps nothing else of the request, whose body may be large.
    """
    authorization = authorization_header(request)

    def current_principal() -> Principal | None:
        try:
            return authenticate_header(authorization)
        except (Unauthorized, Forbidden):
            return None

    return current_principal
