"""Calls that go on after their request: run in threads of their own, and without one while they wait."""

from __future__ import annotations

import threading
from collections.abc import Callable

from mcpapi.errors import logger
from mcpapi.execution.responses import Answer, Continuation
from mcpapi.execution.threads import call_threads
from mcpapi.rpc.jsonrpc import INTERNAL_ERROR, UNAUTHORIZED, RpcError, internal_error
from mcpapi.rpc.suspension import Cancelled, Waiting
from mcpapi.subscriptions.hub import Listener, hub
from oauthserver.resource_server.bearer import Principal


class CallUnderWay(Listener):
    """One call that goes on. `deliver` gets its answer, in the thread that ran it: one without content if it was
    cancelled. `may_go_on` says before each run whether the caller may still do what they could at the beginning.
    """

    def __init__(
        self,
        principal: Principal,
        continuation: Continuation,
        deliver: Callable[[Answer], None],
        may_go_on: Callable[[], bool],
    ) -> None:
        self.principal = principal
        self._continuation = continuation
        self._deliver = deliver
        self._may_go_on = may_go_on
        self._lock = threading.Lock()
        self._topic: str | None = None
        self._is_running = False
        self._is_over = False
        self._has_news = False
        self._refusal: RpcError | None = None

    @property
    def session_key(self) -> str | None:
        """See `Listener.session_key`."""
        return self._continuation.session_key

    def start(self) -> None:
        """Run the call on, and listen for what it waits for."""
        if self._continuation.waiting is not None:
            self._wait_for(self._continuation.waiting)
        hub.join(self)
        # What it waits for may have happened before it listened.
        self._run_on()

    def client_left(self) -> None:
        """Nobody reads the answer any more: to some clients that is the way to cancel.

        For the others what runs is finished. What waits is given up: it has changed nothing, and whatever it comes to
        could never be told.
        """
        if self._continuation.leaving_cancels:
            self.cancel()
        else:
            self._wait_no_more(_client_left())

    def cancel(self) -> None:
        """The client does not want the answer any more."""
        self._stop(Cancelled())

    def hear_of_call(self, topic: str) -> None:
        """See `Listener.hear_of_call`."""
        if topic == self._continuation.cancel_topic:
            self.cancel()
        elif topic == self._topic:
            self._run_on()

    def hear_of_session(self, taken_over_by: str) -> None:
        """See `Listener.hear_of_session`: with it may go what the call waits for."""
        self._run_on()

    def hear_of_gap(self) -> None:
        """See `Listener.hear_of_gap`."""
        self._run_on()

    def wake(self) -> None:
        """See `Listener.wake`."""
        self._run_on()

    def check(self) -> None:
        """See `Listener.check`."""
        if not self._may_go_on():
            self._stop(_no_longer_allowed())

    def end(self) -> None:
        """See `Listener.end`: what waits is given up, what runs is finished."""
        self._wait_no_more(_stopping())

    def _stop(self, error: RpcError) -> None:
        """Answer with `error`, also while the call runs: it ends at its next report."""
        self._continuation.interrupt(error)
        self._wait_no_more(error)

    def _wait_no_more(self, error: RpcError) -> None:
        """Answer with `error`, unless the call has its answer without waiting any further."""
        self._refusal = error
        self._run_on()

    def _run_on(self) -> None:
        """Have a thread run the call, or look again when it has run."""
        with self._lock:
            self._has_news = True
            if self._is_running or self._is_over:
                return
            self._is_running = True
        call_threads.submit(self._run)

    def _run(self) -> None:
        answered = self._next()
        while answered.continuation is not None and self._must_look_again(answered.continuation):
            answered = self._next()
        if answered.continuation is None:
            self._finish(answered)

    def _next(self) -> Answer:
        """What the next run comes to."""
        self._has_news = False
        try:
            if self._refusal is None and self._continuation.waiting is not None and not self._may_go_on():
                self._refusal = _no_longer_allowed()
        except Exception:  # noqa: BLE001 - whatever it is, the client must not wait for ever
            logger.exception("Whether a call may go on could not be found out")
            self._refusal = internal_error()
        return self._continuation.give_up(self._refusal) if self._refusal else self._continuation.resume()

    def _must_look_again(self, continuation: Continuation) -> bool:
        """Whether something has happened since the run began, or could have; if not, the call waits from now on."""
        assert continuation.waiting is not None
        with self._lock:
            self._continuation = continuation
            is_new = self._topic != continuation.waiting.topic
            self._wait_for(continuation.waiting)
            self._is_running = is_new or self._has_news
            return self._is_running

    def _wait_for(self, waiting: Waiting) -> None:
        self._topic = waiting.topic
        self.wakes_at = waiting.until

    def _finish(self, answered: Answer) -> None:
        with self._lock:
            self._is_over, self._is_running = True, False
        hub.leave(self)
        self._deliver(answered)


def _no_longer_allowed() -> RpcError:
    return RpcError(
        UNAUTHORIZED,
        "Unauthorized",
        reason="invalid_token",
        details="While the call went on, its token ran out, was revoked or was changed.",
    )


def _client_left() -> RpcError:
    return RpcError(
        INTERNAL_ERROR, "The client has left", reason="client_left", details="Nobody waits for the answer any more."
    )


def _stopping() -> RpcError:
    return RpcError(
        INTERNAL_ERROR,
        "The server stops",
        reason="server_stops",
        details="The call waited and was given up: nothing was changed. Make it again in a moment.",
    )
