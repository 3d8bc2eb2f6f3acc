"""The answer to a POST: JSON, or where the client is told something before, an event stream that ends with it."""

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
from oauthserver.resource_server.bearer import Principal

STREAM_AFTER_SECONDS = 2.0
"""How long a call that runs may be silent before its answer becomes a stream. Until then it may be an HTTP error."""


class PostStream:
    """What is said to the client of one POST: a stream from the first message on, or from when it is time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_decided = threading.Event()
        self._is_stream = False
        self._answer: RpcResponse | None = None
        self._call: PendingCall | None = None
        self._release_body: Callable[[], None] = lambda: None
        self.outbox = Outbox(on_close=self._on_disconnect)

    def send_message(self, message: bytes) -> None:
        """Send a message before the answer."""
        self._switch_to_stream()
        self.outbox.send(message)

    def run_call(
        self, request: HttpRequest, principal: Principal, continuation: Continuation
    ) -> RpcResponse | EventStream:
        """The answer to the call, if that comes before anything is said; else the stream that it will come on."""
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
                # The response's head goes out with the first of its content.
                self.outbox.put(KEEP_ALIVE)
        self._is_decided.set()

    def _finish(self, response: RpcResponse) -> None:
        with self._lock:
            # To a call that was cancelled there is no answer, and no JSON that would say so.
            self._is_stream = self._is_stream or not response.content
            if not self._is_stream:
                self._answer = response
            elif response.content:
                self.outbox.send(response.content)
        self.outbox.end()
        # The stream may last until its client has read it; nothing of the call has to.
        self._call = None
        self._is_decided.set()
        self._release_body()

    def _on_disconnect(self) -> None:
        if (call := self._call) is not None:
            call.on_disconnect()


def accepts_event_stream(request: HttpRequest) -> bool:
    """Whether the client said that it can read an event stream in the place of JSON."""
    return "text/event-stream" in request.headers.get("Accept", "")
