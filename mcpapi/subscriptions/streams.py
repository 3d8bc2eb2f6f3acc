"""Long-lived notification streams."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

import orjson
from django.conf import settings

from agents.events import DefinitionChange
from common.scopes import READ
from mcpapi.models import Session
from mcpapi.observability.audit import record_stream
from mcpapi.rpc.jsonrpc import RATE_LIMITED, RpcError
from mcpapi.state.sessions import publish_takeover, session_key_of
from mcpapi.subscriptions.filters import Notification, ResourceChange, SubscriptionFilter
from mcpapi.subscriptions.hub import Listener, hub
from mcpapi.tools.profiles import tool_list_key
from memories.access import View
from oauthserver.resource_server.principal import Principal

RETRY_AFTER_SECONDS = 30

PrincipalSource = Callable[[], Principal | None]
"""A function that returns the principal with its current access, or None if it may no longer listen."""


class Sink(Protocol):
    """The destination of the messages of one stream."""

    def send(self, message: bytes, event_id: str | None = None) -> None:
        """Send a message. A client may resume after its `event_id`. Does nothing after the end."""
        ...

    def end(self) -> None:
        """End the stream after the messages that were sent."""
        ...

    def close(self) -> None:
        """Close the stream, whichever side ended it."""
        ...


S = TypeVar("S", bound=Sink)


class NotificationStream(Listener, Generic[S]):
    """An open stream of the notifications that match a filter, sent to the sink that `make_sink` returns.

    `make_sink` receives the function that the sink calls once when it is closed.

    With a `session` the stream follows the session's subscriptions. It ends with the session, or when another stream
    takes its place: each message is sent on one stream only (MCP 2025-11-25, transports, "Multiple Connections").
    `final_message` is sent when the server ends the stream.
    """

    def __init__(
        self,
        principal: Principal,
        subscription_filter: SubscriptionFilter,
        current_principal: PrincipalSource,
        make_sink: Callable[[Callable[[], None]], S],
        session: Session | None = None,
        *,
        final_message: bytes = b"",
    ) -> None:
        self.principal = principal
        self._filter = subscription_filter
        self._current_principal = current_principal
        self._session = session
        self._final_message = final_message
        self._numbers = itertools.count(1)
        self._id = secrets.token_urlsafe(6)
        self._opened_at: float | None = None
        self.sink = make_sink(self._on_close)

    @property
    def session_key(self) -> str | None:
        """See `Listener.session_key`."""
        return session_key_of(self._session) if self._session is not None else None

    def open(self, first: Iterable[Notification], missed: Callable[[], Iterable[Notification]]) -> None:
        """Send `first`, join the hub, then send the notifications that were `missed` before."""
        self._opened_at = time.monotonic()
        self._send(first)
        hub.join(self)
        try:
            if self._session is not None:
                publish_takeover(self._session, self._id)
            self._send(missed())
        except BaseException:
            self.sink.close()
            raise

    def on_resources_changed(self, changes: Sequence[ResourceChange]) -> None:
        """See `Listener.on_resources_changed`."""
        self._send(self._filter.notifications(View(self.principal.owner_id, self.principal.tags), changes))

    def on_definitions_changed(self, changes: Sequence[DefinitionChange]) -> None:
        """See `Listener.on_definitions_changed`."""
        self._send(self._filter.definitions_changed(changes))

    def on_prompts_changed(self) -> None:
        """See `Listener.on_prompts_changed`."""
        self._send(self._filter.prompts_changed())

    def on_tools_changed(self) -> None:
        """See `Listener.on_tools_changed`."""
        self._send(self._filter.tools_changed())

    def on_session_changed(self, taken_over_by: str) -> None:
        """See `Listener.on_session_changed`."""
        assert self._session is not None
        session = Session.objects.filter(pk=self._session.pk).first()
        if session is None or taken_over_by not in {"", self._id}:
            self.sink.end()
        else:
            self._filter = self._filter.with_uris(session.subscriptions)

    def on_gap(self) -> None:
        """See `Listener.on_gap`."""
        self._send(self._filter.full_refresh())

    def recheck_access(self) -> None:
        """See `Listener.recheck_access`."""
        before, now = self.principal, self._current_principal()
        if now is None:
            self.sink.end()
            return
        self.principal = now
        if tool_list_key(now) != tool_list_key(before):
            self._send(self._filter.tools_changed())
        if now.tags != before.tags:
            self._send(self._filter.resources_changed())
        # The filter was chosen with the scopes at the opening, and does not follow them.
        if (READ in now.scopes) != (READ in before.scopes):
            self.sink.end()

    def end(self) -> None:
        """See `Listener.end`."""
        if self._final_message:
            self.sink.send(self._final_message)
        self.sink.end()

    def _on_close(self) -> None:
        hub.leave(self)
        if self._opened_at is not None:
            record_stream(self.principal, self._session, seconds_open=time.monotonic() - self._opened_at)

    def _send(self, notifications: Iterable[Notification]) -> None:
        for method, params in notifications:
            message = orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params})
            self.sink.send(message, self._event_id())

    def _event_id(self) -> str | None:
        """Return an event id, unique in the session, that contains the time; None if the stream cannot be resumed."""
        return None if self._final_message else f"{time.time_ns() // 1_000_000:x}-{self._id}-{next(self._numbers)}"


def check_stream_limit(principal: Principal) -> None:
    """Raise RpcError (HTTP 429) if the app has reached its limit of open streams in this process."""
    held = sum(listener.principal.permission == principal.permission for listener in hub.listeners())
    if held >= settings.MCP_MAX_STREAMS:
        raise RpcError(
            RATE_LIMITED,
            "Too many streams",
            reason="too_many_streams",
            status=429,
            headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
            details=f"An app can have at most {settings.MCP_MAX_STREAMS} open streams: close one first.",
        )
