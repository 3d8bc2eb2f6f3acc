"""The execution of one call, in one run or with pauses, and its line in the activity log."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import ParamSpec

from django.db import DatabaseError

from mcpapi.calls.context import Caller
from mcpapi.eras.base import Era
from mcpapi.errors import logger
from mcpapi.execution.responses import Answer, Listening, refusal
from mcpapi.methods.subscriptions import ListenResult, acknowledged
from mcpapi.methods.tools import told_by
from mcpapi.observability.audit import record
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.envelope import Envelope
from mcpapi.rpc.jsonrpc import Call, RpcError
from mcpapi.rpc.suspension import Cancelled, Waiting, cancel_topic
from mcpapi.state.rate_limit import spend
from mcpapi.state.sessions import key_of
from oauthserver.resource_server.bearer import Principal

P = ParamSpec("P")

SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"


class CallExecution:
    """One call from admission to response. No method raises: a failure becomes an error response.

    A call that cannot finish at once returns itself as the `Continuation` of its response.
    """

    def __init__(self, principal: Principal, era: Era, call: Call) -> None:
        self._principal = principal
        self._era = era
        self._call = call
        self._caller: Caller | None = None
        self._started_at = time.perf_counter()
        self.waiting: Waiting | None = None
        self.leaving_cancels = era.leaving_cancels

    def start(self, envelope: Envelope) -> Answer:
        """Admit the caller and run the call."""
        return self._guarded(self._admit_and_run, envelope)

    def run_for(self, caller: Caller) -> Answer:
        """Run the call for a caller who is admitted already."""
        self._caller = caller
        return self._guarded(self._run, caller)

    def resume(self) -> Answer:
        """See `Continuation.resume`."""
        assert self._caller is not None
        # The previous run recorded memories that this run records again.
        self._caller = self._caller.for_another_call()
        return self._guarded(self._resume, self._caller)

    def give_up(self, error: RpcError) -> Answer:
        """See `Continuation.give_up`. A cancelled call has no response."""
        return self._finish(
            Answer(error=error) if isinstance(error, Cancelled) else refusal(self._era, error, self._call.id)
        )

    def interrupt(self, error: RpcError) -> None:
        """See `Continuation.interrupt`."""
        assert self._caller is not None
        self._caller.speech.stop(error)

    @property
    def session_key(self) -> str | None:
        """See `Continuation.session_key`."""
        return key_of(self._caller.session) if self._caller and self._caller.session else None

    @property
    def cancel_topic(self) -> str | None:
        """See `Continuation.cancel_topic`."""
        conversation = self._caller.conversation if self._caller else ""
        return cancel_topic(conversation, self._call.id) if conversation else None

    def _guarded(self, step: Callable[P, Answer], *args: P.args, **kwargs: P.kwargs) -> Answer:
        """Run `step` and turn whatever it raises into a response."""
        try:
            answered = step(*args, **kwargs)
        except Waiting as pause:
            self.waiting = pause
            return Answer(continuation=self)
        except RpcError as error:
            return self.give_up(error)
        except Exception:  # noqa: BLE001 - so that the response carries the id of the request
            logger.exception("The method %.100s failed unexpectedly", self._call.method)
            return self.give_up(jsonrpc.internal_error())
        return answered if answered.continuation else self._finish(answered)

    def _admit_and_run(self, envelope: Envelope) -> Answer:
        spend(self._principal, 1)
        self._caller = caller = self._era.admit(envelope, self._principal, self._call)
        # A client that wants progress or log messages reads them while the call runs, so the call must not run here.
        return Answer(continuation=self) if caller.speech.hears(told_by(self._call)) else self._run(caller)

    def _resume(self, caller: Caller) -> Answer:
        answered = self._run(caller)
        # Discard the result if the token was revoked while the call ran.
        caller.speech.refuse_if_stopped()
        return answered

    def _run(self, caller: Caller) -> Answer:
        method = self._era.methods.get(self._call.method)
        if method is None:
            raise RpcError(
                jsonrpc.METHOD_NOT_FOUND, "Method not found", reason="method_not_found", method=self._call.method[:100]
            )
        result = method(caller, self._call.params)
        if isinstance(result, ListenResult):
            return self._listen(caller, result)
        content = jsonrpc.result_bytes(self._call.id, self._era.dress(caller, self._call.method, result))
        return Answer(content, 200, caller.response_headers)

    def _listen(self, caller: Caller, result: ListenResult) -> Answer:
        """Return the stream that the call opens. Every message carries its id (MCP 2026-07-28, basic/patterns)."""
        meta = {SUBSCRIPTION_ID: self._call.id}
        acknowledgement = (
            "notifications/subscriptions/acknowledged",
            {"notifications": acknowledged(result.wants), "_meta": meta},
        )
        dressed = self._era.dress(caller, self._call.method, {"_meta": meta})
        farewell = jsonrpc.result_bytes(self._call.id, dressed)
        return Answer(status=200, listening=Listening(acknowledgement, replace(result.wants, meta=meta), farewell))

    def _finish(self, answered: Answer) -> Answer:
        """Write the activity log and delete the requests that were sent to the client."""
        if self._caller is not None:
            # Requests that are left behind are deleted once a day.
            with suppress(DatabaseError):
                self._caller.inputs.close()
        record(
            self._principal,
            self._era.methods,
            self._call,
            caller=self._caller,
            error=answered.error,
            started_at=self._started_at,
        )
        return answered
