"""Calls that go on after their request: run in threads of their own, and without one while they wait."""

from __future__ import annotations

import threading
from collections.abc import Callable

from mcpapi.errors import logger
from mcpapi.execution.responses import Continuation, RpcResponse
from mcpapi.execution.threads import call_thread_pool
from mcpapi.rpc.jsonrpc import INTERNAL_ERROR, UNAUTHORIZED, RpcError, internal_error
from mcpapi.rpc.suspension import CallCancelled, WaitForTopic
from mcpapi.subscriptions.hub import Listener, hub
from oauthserver.resource_server.bearer import Principal


class PendingCall(Listener):
    """One call that goes on. `deliver` gets its answer, in the thread that ran it: one without content if it was
    cancelled. `is_still_allowed` says before each run whether the caller may still do what they could at the beginning.
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
        """Run the call on, and listen for what it waits for."""
        if self._continuation.waits_for is not None:
            self._wait_for(self._continuation.waits_for)
        hub.join(self)
        # What it waits for may have happened before it listened.
        self._schedule()

    def on_disconnect(self) -> None:
        """Nobody reads the answer any more: to some clients that is the way to cancel.

        For the others what runs is finished. What waits is given up: it has changed nothing, and whatever it comes to
        could never be told.
        """
        if self._continuation.cancel_on_disconnect:
            self.cancel()
        else:
            self._stop_waiting(_client_left_error())

    def cancel(self) -> None:
        """The client does not want the answer any more."""
        self._stop(CallCancelled())

    def on_topic(self, topic: str) -> None:
        """See `Listener.on_topic`."""
        if topic == self._continuation.cancel_topic:
            self.cancel()
        elif topic == self._topic:
            self._schedule()

    def on_session_changed(self, taken_over_by: str) -> None:
        """See `Listener.on_session_changed`: with it may go what the call waits for."""
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
        """See `Listener.end`: what waits is given up, what runs is finished."""
        self._stop_waiting(_server_stopping_error())

    def _stop(self, error: RpcError) -> None:
        """Answer with `error`, also while the call runs: it ends at its next report."""
        self._continuation.interrupt(error)
        self._stop_waiting(error)

    def _stop_waiting(self, error: RpcError) -> None:
        """Answer with `error`, unless the call has its answer without waiting any further."""
        self._stop_error = error
        self._schedule()

    def _schedule(self) -> None:
        """Have a thread run the call, or look again when it has run."""
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
        """What the next run comes to."""
        self._was_notified = False
        try:
            if self._stop_error is None and self._continuation.waits_for is not None and not self._is_still_allowed():
                self._stop_error = _no_longer_allowed_error()
        except Exception:  # noqa: BLE001 - whatever it is, the client must not wait for ever
            logger.exception("Whether a call may go on could not be found out")
            self._stop_error = internal_error()
        return self._continuation.fail(self._stop_error) if self._stop_error else self._continuation.resume()

    def _should_run_again(self, continuation: Continuation) -> bool:
        """Whether something has happened since the run began, or could have; if not, the call waits from now on."""
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
        details="While the call went on, its token ran out, was revoked or was changed.",
    )


def _client_left_error() -> RpcError:
    return RpcError(
        INTERNAL_ERROR, "The client has left", reason="client_left", details="Nobody waits for the answer any more."
    )


def _server_stopping_error() -> RpcError:
    return RpcError(
        INTERNAL_ERROR,
        "The server stops",
        reason="server_stops",
        details="The call waited and was given up: nothing was changed. Make it again in a moment.",
    )
