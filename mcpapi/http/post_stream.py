"""The response to a POST: JSON, or an event stream that ends with it if messages are sent before it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.http import HttpRequest

from mcpapi.execution.pending import PendingCall
from mcpapi.execution.responses import Continuation, RpcResponse
from mcpapi.http.bodies import hold_turn_of
from mcpapi.http.event_stream import KEEP_ALIVE, EventStream, Outbox
from mcpapi.http.notification_streams import authorization_check
from mcpapi.rpc.jsonrpc import RpcError
from mcpapi.subscriptions.streams import check_stream_limit
from oauthserver.resource_server.principal import Principal

STREAM_AFTER_SECONDS = 2.0
"""The time after which the response to a silent call becomes a stream. Until then it may be an HTTP error."""


class PostStream:
    """The messages to the client of one POST. Becomes a stream at the first message or after STREAM_AFTER_SECONDS."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_decided = threading.Event()
        self._is_stream = False
        self._answer: RpcResponse | None = None
        self._call: PendingCall | None = None
        self._release_body: Callable[[], None] = lambda: None
        self.outbox = Outbox(on_close=self._on_disconnect)

    def send_message(self, message: bytes) -> None:
        """Send a message before the response."""
        self._switch_to_stream()
        self.outbox.send(message)

    def run_call(
        self, request: HttpRequest, principal: Principal, continuation: Continuation
    ) -> RpcResponse | EventStream:
        """Run the call. Return its response, or a stream for it if the call takes long or sends messages."""
        try:
            check_stream_limit(principal)
        except RpcError as error:
            return continuation.fail(error)
        self._release_body = hold_turn_of(request)
        self._call = call = PendingCall(principal, continuation, self._finish, authorization_check(request, principal))
        if continuation.waits_for is not None:
            self._switch_to_stream()
        call.start()
        self._is_decided.wait(STREAM_AFTER_SECONDS)
        self._switch_to_stream()
        return self._answer or EventStream(self.outbox)

    def _switch_to_stream(self) -> None:
        with self._lock:
            if not self._is_stream and self._answer is None:
                self._is_stream = True
                # The head of the response is sent with its first content.
                self.outbox.put(KEEP_ALIVE)
        self._is_decided.set()

    def _finish(self, response: RpcResponse) -> None:
        with self._lock:
            # A cancelled call has no response, so there is no JSON to send: an empty stream ends the request.
            self._is_stream = self._is_stream or not response.content
            if not self._is_stream:
                self._answer = response
            elif response.content:
                self.outbox.send(response.content)
        self.outbox.end()
        # The stream may last until its client has read it. The call need not be kept that long.
        self._call = None
        self._is_decided.set()
        self._release_body()

    def _on_disconnect(self) -> None:
        if (call := self._call) is not None:
            call.on_disconnect()


def accepts_event_stream(request: HttpRequest) -> bool:
    """Return whether the client accepts an event stream instead of JSON."""
    return "text/event-stream" in request.META.get("HTTP_ACCEPT", "")
