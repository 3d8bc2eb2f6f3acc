"""The stdio server: it serves the one client that has started this process."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from io import RawIOBase
from queue import Queue
from typing import Any, BinaryIO

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections

from mcpapi.eras import HANDSHAKE, STATELESS
from mcpapi.eras.base import Era
from mcpapi.execution.dispatch import CANCELLED, handle_message
from mcpapi.execution.pending import PendingCall
from mcpapi.execution.responses import Continuation, RpcResponse, Subscription, error_response
from mcpapi.http.bodies import Turn, hold
from mcpapi.methods.body_limits import largest_limit, parse_json, text_limit, too_large
from mcpapi.methods.subscriptions import session_filter
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.envelope import SESSION_HEADER, Envelope
from mcpapi.rpc.jsonrpc import RequestId, RpcError
from mcpapi.rpc.suspension import CallCancelled
from mcpapi.state.sessions import end_session, find_session
from mcpapi.stdio.in_flight import InFlightRequests
from mcpapi.stdio.lines import LineSink, LineWriter, read_lines
from mcpapi.subscriptions.hub import hub
from mcpapi.subscriptions.streams import NotificationStream, check_stream_limit
from mcpapi.tool_failures import logger
from oauthserver.resource_server.principal import Principal

STOP_LIMIT_SECONDS = 2.0
MAX_WAITING = 100
"""The most messages that wait for a thread. Further ones wait in the pipe."""


class StdioServer:
    """A server that handles the messages of one client, of either era, on behalf of `principal`, several at a time.

    No message names a session: `initialize` begins the only one. `on_disconnect` is called when the client no longer
    reads.
    """

    def __init__(self, principal: Principal, stdout: RawIOBase, on_disconnect: Callable[[], None]) -> None:
        self._principal = principal
        self._output = LineWriter(stdout, on_disconnect)
        self._in_flight = InFlightRequests()
        self._queue: Queue[tuple[bytes, RequestId, Turn | None] | None] = Queue(MAX_WAITING)
        self._large = threading.Semaphore()
        self._connection = secrets.token_urlsafe()
        self._session_id: str | None = None

    def run(self, stdin: BinaryIO) -> None:
        """Handle all messages until the client closes its end, then finish the running calls."""
        # Daemon threads: a signal that ends the process must not wait for them.
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(settings.WEB_THREADS)]
        for thread in threads:
            thread.start()
        try:
            for line in read_lines(stdin, largest_limit().bytes):
                self._take(line)
            for _ in threads:
                self._queue.put(None)
            for thread in threads:
                thread.join()
            # Calls that wait for the client or the owner fail, running calls are finished.
            hub.stop()
            self._in_flight.wait_for_answers()
        except BaseException:
            # A signal. Its sender may have stopped reading, so that writing even a last message could block for ever.
            self._output.close()
            raise
        finally:
            self._end_session()
            hub.stop(STOP_LIMIT_SECONDS)

    def _take(self, line: bytes | None) -> None:
        try:
            if line is None:
                raise too_large(largest_limit().bytes)
            message = parse_json(line)
        except RpcError as error:
            self._send_error(HANDSHAKE, error)
            return
        method = message.get("method") if isinstance(message, dict) else None
        if method == CANCELLED and "id" not in message:
            self._in_flight.cancel(_named_request(message))
        elif method == "initialize":
            # Handled at once: the messages that follow belong to its session.
            self._answer(line, None, None)
        else:
            request_id = jsonrpc.readable_id(message) if method is not None else None
            if request_id is None or self._in_flight.begin(request_id):
                self._queue.put((line, request_id, self._turn_of(line)))
            else:
                self._send_error(
                    HANDSHAKE, jsonrpc.invalid_request("a request with this id is still running"), request_id
                )

    def _work(self) -> None:
        while (waiting := self._queue.get()) is not None:
            self._answer(*waiting)
            if turn := waiting[2]:
                turn.release()
            # Without this, a large message would be held while the queue is empty.
            del waiting, turn
        connections.close_all()

    def _turn_of(self, line: bytes) -> Turn | None:
        """Wait for the turn of a large message, while no more input is read. Return None for a small message."""
        if len(line) <= text_limit().bytes:
            return None
        self._large.acquire()
        return Turn(self._large.release)

    def _answer(self, line: bytes, request_id: RequestId, turn: Turn | None) -> None:
        """Handle a message. `request_id` is the id of a request that can be cancelled."""
        close_old_connections()
        envelope = Envelope(
            session_id=self._session_id,
            send_message=partial(self._send_message, request_id),
            connection=self._connection,
        )
        response = handle_message(self._principal, envelope, line)
        try:
            if response.subscription is not None:
                self._open_subscription(request_id, response.subscription)
            elif response.continuation is not None:
                self._run_pending(request_id, response.continuation, turn)
            else:
                self._deliver(request_id, response)
        except RpcError as error:
            self._fail(request_id, error)
        except Exception:  # noqa: BLE001 - whatever it is, the client goes on talking
            logger.exception("A follow-up of a response failed unexpectedly")
            self._fail(request_id, jsonrpc.internal_error())

    def _send_message(self, request_id: RequestId, message: bytes) -> None:
        """Send a message before the response."""
        if self._in_flight.has(request_id):
            self._output.send(message)

    def _deliver(self, request_id: RequestId, response: RpcResponse) -> None:
        """Send the response, unless its request was cancelled."""
        is_wanted = request_id is None or self._in_flight.end(request_id)
        if response.message and is_wanted:
            self._output.send(response.message)
        if session_id := response.headers.get(SESSION_HEADER):
            self._begin_session(session_id)

    def _run_pending(self, request_id: RequestId, continuation: Continuation, turn: Turn | None) -> None:
        """Run a call that waits or sends notifications, until it ends or is cancelled."""
        release = hold(turn)

        def deliver(response: RpcResponse) -> None:
            self._deliver(request_id, response)
            release()

        call = PendingCall(self._principal, continuation, deliver, lambda: True)
        try:
            check_stream_limit(self._principal)
        except RpcError as error:
            deliver(continuation.fail(error))
        else:
            if self._in_flight.mark_pending(request_id, call.cancel):
                call.start()
            else:
                continuation.fail(CallCancelled())
                release()

    def _open_subscription(self, request_id: RequestId, subscription: Subscription) -> None:
        """Open the stream of a request, unless that was cancelled meanwhile. Raises RpcError."""
        check_stream_limit(self._principal)
        stream = NotificationStream(
            self._principal,
            subscription.filter,
            lambda: self._principal,
            self._sink,
            final_message=subscription.final_message,
        )
        if self._in_flight.mark_streaming(request_id, stream.sink.close):
            stream.open([subscription.acknowledgement], lambda: [])
            if not self._in_flight.has(request_id):
                stream.sink.close()
            stream.sink.release()

    def _begin_session(self, session_id: str) -> None:
        """Use the session that `initialize` has created for all messages, and open its notification stream."""
        self._end_session()
        self._session_id = session_id
        caller = HANDSHAKE.admit_listener(Envelope(session_id=session_id), self._principal)
        stream = NotificationStream(
            self._principal, session_filter(caller), self._current_principal, self._sink, caller.session
        )
        stream.open([], lambda: [])
        stream.sink.release()

    def _current_principal(self) -> Principal | None:
        """Return the principal while its session lasts. The lookup keeps the session of an idle client alive."""
        try:
            find_session(self._principal, str(self._session_id))
        except RpcError:
            return None
        return self._principal

    def _end_session(self) -> None:
        if self._session_id is not None:
            # The session may have ended already. If the database is down, it expires later.
            with suppress(RpcError, DatabaseError):
                end_session(self._principal, self._session_id)

    def _sink(self, on_close: Callable[[], None]) -> LineSink:
        return LineSink(self._output, on_close)

    def _fail(self, request_id: RequestId, error: RpcError) -> None:
        """Send `error` for a request that could not be completed."""
        if request_id is not None and self._in_flight.end(request_id):
            self._send_error(STATELESS, error, request_id)

    def _send_error(self, era: Era, error: RpcError, request_id: RequestId = None) -> None:
        self._output.send(error_response(era, error, request_id).content)


def _named_request(notification: Mapping[str, Any]) -> RequestId:
    """Return the id of the request that `notifications/cancelled` names, or None."""
    params = notification.get("params")
    return jsonrpc.readable_id({"id": params.get("requestId")}) if isinstance(params, dict) else None
