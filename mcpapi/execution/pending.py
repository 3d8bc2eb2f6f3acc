"""Calls that outlive their request: they run in the call thread pool, and hold no thread while they wait."""

from __future__ import annotations

import threading
from collections.abc import Callable

from mcpapi.execution.call_threads import call_thread_pool
from mcpapi.execution.responses import Continuation, RpcResponse
from mcpapi.rpc.jsonrpc import INTERNAL_ERROR, UNAUTHORIZED, RpcError, internal_error
from mcpapi.rpc.suspension import CallCancelled, WaitForTopic
from mcpapi.subscriptions.hub import Listener, hub
from mcpapi.tool_failures import logger
from oauthserver.resource_server.principal import Principal


class PendingCall(Listener):
    """A call that outlives its request. `deliver` receives its response, in the thread that ran it.

    The response of a cancelled call has no content. `is_still_allowed` is checked before each run that follows a wait,
    and tells whether the caller still has the access with which the call started.
    """

    def __init__(
        self,
        principal: Principal,
        continuation: Continuation,
        deliver: Callable[[RpcResponse], None],
        is_still_allowed: Callable[[], bool],
    ) -> None:
        self.principal = principal
        self._continuation = continuation
        self._deliver = deliver
        self._is_still_allowed = is_still_allowed
        self._lock = threading.Lock()
        self._topic: str | None = None
        self._is_running = False
        self._is_over = False
        self._was_notified = False
        self._stop_error: RpcError | None = None

    @property
    def session_key(self) -> str | None:
        """See `Listener.session_key`."""
        return self._continuation.session_key

    def start(self) -> None:
        """Start the call: run it, and join the hub to learn of the event that it waits for."""
        if self._continuation.waits_for is not None:
            self._wait_for(self._continuation.waits_for)
        hub.join(self)
        # The event may have happened before the call joined the hub.
        self._schedule()

    def on_disconnect(self) -> None:
        """Handle the client's disconnect, which cancels the call if the client's era says so.

        Otherwise a running call is finished. A waiting call fails: it has changed nothing, and its result could not be
        delivered.
        """
        if self._continuation.cancel_on_disconnect:
            self.cancel()
        else:
            self._stop_waiting(_client_left_error())

    def cancel(self) -> None:
        """Cancel the call at the client's request."""
        self._stop(CallCancelled())

    def on_topic(self, topic: str) -> None:
        """See `Listener.on_topic`."""
        if topic == self._continuation.cancel_topic:
            self.cancel()
        elif topic == self._topic:
            self._schedule()

    def on_session_changed(self, taken_over_by: str) -> None:
        """See `Listener.on_session_changed`. The awaited reply may have been deleted with the session."""
        self._schedule()

    def on_gap(self) -> None:
        """See `Listener.on_gap`."""
        self._schedule()

    def on_wake(self) -> None:
        """See `Listener.on_wake`."""
        self._schedule()

    def recheck_access(self) -> None:
        """See `Listener.recheck_access`."""
        if not self._is_still_allowed():
            self._stop(_no_longer_allowed_error())

    def end(self) -> None:
        """See `Listener.end`. A waiting call fails, a running one is finished."""
        self._stop_waiting(_server_stopping_error())

    def _stop(self, error: RpcError) -> None:
        """Fail with `error`, also while the call runs: it then ends at its next progress report."""
        self._continuation.interrupt(error)
        self._stop_waiting(error)

    def _stop_waiting(self, error: RpcError) -> None:
        """Fail with `error`, unless the current run ends with a response."""
        self._stop_error = error
        self._schedule()

    def _schedule(self) -> None:
        """Queue a run of the call, or another one after the current run."""
        with self._lock:
            self._was_notified = True
            if self._is_running or self._is_over:
                return
            self._is_running = True
        call_thread_pool.submit(self._run)

    def _run(self) -> None:
        response = self._run_once()
        while response.continuation is not None and self._should_run_again(response.continuation):
            response = self._run_once()
        if response.continuation is None:
            self._finish(response)

    def _run_once(self) -> RpcResponse:
        """Run the call once and return its response."""
        self._was_notified = False
        try:
            if self._stop_error is None and self._continuation.waits_for is not None and not self._is_still_allowed():
                self._stop_error = _no_longer_allowed_error()
        except Exception:  # noqa: BLE001 - whatever it is, the client must not wait for ever
            logger.exception("Could not check whether a call may resume")
            self._stop_error = internal_error()
        return self._continuation.fail(self._stop_error) if self._stop_error else self._continuation.resume()

    def _should_run_again(self, continuation: Continuation) -> bool:
        """Return whether something may have happened since the run began. If not, the call waits from now on."""
        assert continuation.waits_for is not None
        with self._lock:
            self._continuation = continuation
            is_new = self._topic != continuation.waits_for.topic
            self._wait_for(continuation.waits_for)
            self._is_running = is_new or self._was_notified
            return self._is_running

    def _wait_for(self, waits_for: WaitForTopic) -> None:
        self._topic = waits_for.topic
        self.wakes_at = waits_for.until

    def _finish(self, response: RpcResponse) -> None:
        with self._lock:
            self._is_over, self._is_running = True, False
        hub.leave(self)
        self._deliver(response)


def _no_longer_allowed_error() -> RpcError:
    return RpcError(
        UNAUTHORIZED,
        "Unauthorized",
        reason="invalid_token",
        details="The token expired, was revoked or was changed during the call.",
    )


def _client_left_error() -> RpcError:
    return RpcError(
        INTERNAL_ERROR,
        "The client has left",
        reason="client_left",
        details="The client no longer waits for the response.",
    )


def _server_stopping_error() -> RpcError:
    return RpcError(
        INTERNAL_ERROR,
        "The server is shutting down",
        reason="server_stops",
        details="The call was cancelled while it waited: nothing was changed. Retry in a moment.",
    )
