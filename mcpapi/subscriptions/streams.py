"""A stream that stays open: it tells its client of changes until one of the two ends it."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

import orjson
from django.conf import settings

from common.scopes import READ
from mcpapi.models import Session
from mcpapi.observability.audit import record_stream
from mcpapi.rpc.jsonrpc import RATE_LIMITED, RpcError
from mcpapi.state.sessions import key_of, say_taken_over
from mcpapi.subscriptions.filters import Notification, Wants
from mcpapi.subscriptions.hub import Listener, hub
from mcpapi.tools.profiles import list_depends_on
from memories.access import View
from memories.events.changes import Change
from oauthserver.resource_server.bearer import Principal

RETRY_AFTER_SECONDS = 30

Present = Callable[[], Principal | None]
"""The client as it may listen now, None where it may not any more."""


class Sink(Protocol):
    """Where the messages of one stream go."""

    def send(self, message: bytes, event_id: str | None = None) -> None:
        """Send a message, by whose `event_id` a client may resume. Does nothing after the end."""
        ...

    def end(self) -> None:
        """Send nothing more after what was sent."""
        ...

    def close(self) -> None:
        """The stream is over, whoever ended it."""
        ...


S = TypeVar("S", bound=Sink)


class StandingStream(Listener, Generic[S]):
    """One open stream: what its client wants to hear, sent through a sink that `make_sink` makes.

    `make_sink` is given what the sink calls once when it is closed.

    With a `session` it follows what that is subscribed to, and ends when the session does or another stream takes its
    place: each message goes out on one stream only (MCP 2025-11-25, transports, "Multiple Connections"). `farewell` is
    the message that says that the server ends it.
    """

    def __init__(
        self,
        principal: Principal,
        wants: Wants,
        present: Present,
        make_sink: Callable[[Callable[[], None]], S],
        session: Session | None = None,
        *,
        farewell: bytes = b"",
    ) -> None:
        self.principal = principal
        self._wants = wants
        self._present = present
        self._session = session
        self._farewell = farewell
        self._numbers = itertools.count(1)
        self._id = secrets.token_urlsafe(6)
        self._opened_at: float | None = None
        self.sink = make_sink(self._leave)

    @property
    def session_key(self) -> str | None:
        """See `Listener.session_key`."""
        return key_of(self._session) if self._session is not None else None

    def open(self, first: Iterable[Notification], missed: Callable[[], Iterable[Notification]]) -> None:
        """Say `first`, then hear of all that happens from now on, after what was `missed` until now."""
        self._opened_at = time.monotonic()
        self._say(first)
        hub.join(self)
        try:
            if self._session is not None:
                say_taken_over(self._session, self._id)
            self._say(missed())
        except BaseException:
            self.sink.close()
            raise

    def hear(self, news: Sequence[Change]) -> None:
        """See `Listener.hear`."""
        self._say(self._wants.notifications(View(self.principal.user_id, self.principal.tags), news))

    def hear_of_prompts(self) -> None:
        """See `Listener.hear_of_prompts`."""
        self._say(self._wants.of_prompts())

    def hear_of_session(self, taken_over_by: str) -> None:
        """See `Listener.hear_of_session`."""
        assert self._session is not None
        session = Session.objects.filter(pk=self._session.pk).first()
        if session is None or taken_over_by not in {"", self._id}:
            self.sink.end()
        else:
            self._wants = self._wants.with_uris(session.subscriptions)

    def hear_of_gap(self) -> None:
        """See `Listener.hear_of_gap`."""
        self._say(self._wants.everything())

    def check(self) -> None:
        """See `Listener.check`."""
        before, now = self.principal, self._present()
        if now is None:
            self.sink.end()
            return
        self.principal = now
        if list_depends_on(now) != list_depends_on(before):
            self._say(self._wants.of_tools())
        if now.tags != before.tags:
            self._say(self._wants.of_resources())
        # What it may hear of at all was settled when it was opened.
        if (READ in now.scopes) != (READ in before.scopes):
            self.sink.end()

    def end(self) -> None:
        """See `Listener.end`."""
        if self._farewell:
            self.sink.send(self._farewell)
        self.sink.end()

    def _leave(self) -> None:
        hub.leave(self)
        if self._opened_at is not None:
            record_stream(self.principal, self._session, seconds_open=time.monotonic() - self._opened_at)

    def _say(self, notifications: Iterable[Notification]) -> None:
        for method, params in notifications:
            message = orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params})
            self.sink.send(message, self._event_id())

    def _event_id(self) -> str | None:
        """Unique in the session; it tells when the event was sent. None where streams cannot be resumed."""
        return None if self._farewell else f"{time.time_ns() // 1_000_000:x}-{self._id}-{next(self._numbers)}"


def refuse_too_many(principal: Principal) -> None:
    """Raise RpcError (HTTP 429) where the app holds as many streams open in this process as it may."""
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
