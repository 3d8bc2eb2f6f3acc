"""One call from its admission to its answer, in one go or with pauses, and its line in the record of activity."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from django.db import DatabaseError

from mcpapi.calls.context import Caller
from mcpapi.eras.base import Era
from mcpapi.errors import logger
from mcpapi.execution.responses import Answer, Listening, Unfinished, refusal
from mcpapi.methods.shared import told_by
from mcpapi.methods.subscriptions import acknowledged
from mcpapi.observability.audit import record
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.jsonrpc import Call, RpcError
from mcpapi.rpc.waiting import Cancelled, Waiting, cancel_topic
from mcpapi.state.sessions import key_of
from mcpapi.subscriptions.filters import Wants
from oauthserver.resource_server.bearer import Principal

SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"


class Performance:
    """A call that is answered. Nothing that it does raises: what fails is an error in the answer."""

    def __init__(self, principal: Principal, era: Era, call: Call) -> None:
        self._principal = principal
        self._era = era
        self._call = call
        self._caller: Caller | None = None
        self._started_at = time.perf_counter()

    def begin(self, admit: Callable[[], Caller]) -> Answer:
        """The answer to the caller whom `admit` lets in; unfinished where that hears, or waits, on the way."""
        return self._guarded(lambda: self._first(admit))

    def _first(self, admit: Callable[[], Caller]) -> Answer:
        self._caller = caller = admit()
        return self._unfinished(caller, None) if caller.speech.hears(told_by(self._call)) else self._perform(caller)

    def _go_on(self, caller: Caller) -> Answer:
        # What was noted before the pause is noted again.
        self._caller = again = caller.for_another_call()
        return self._guarded(lambda: self._unless_stopped(again))

    def _unless_stopped(self, caller: Caller) -> Answer:
        answered = self._perform(caller)
        # Whose token was revoked while the call ran learns nothing any more.
        caller.speech.refuse_if_stopped()
        return answered

    def _guarded(self, step: Callable[[], Answer]) -> Answer:
        try:
            answered = step()
        except Waiting as pause:
            assert self._caller is not None
            return self._unfinished(self._caller, pause)
        except RpcError as error:
            return self._give_up(error)
        except Exception:  # noqa: BLE001 - so that the answer carries the request's id
            logger.exception("The method %.100s failed unexpectedly", self._call.method)
            return self._give_up(jsonrpc.internal_error())
        return answered if answered.unfinished else self._over(answered)

    def _give_up(self, error: RpcError) -> Answer:
        is_told = not isinstance(error, Cancelled)
        return self._over(refusal(self._era, error, self._call.id) if is_told else Answer(error=error))

    def _over(self, answered: Answer) -> Answer:
        if self._caller is not None:
            # What stays behind is removed once a day.
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

    def _unfinished(self, caller: Caller, waiting: Waiting | None) -> Answer:
        return Answer(
            unfinished=Unfinished(
                waiting,
                go_on=lambda: self._go_on(caller),
                give_up=self._give_up,
                interrupt=caller.speech.stop,
                cancelled_by=cancel_topic(caller.conversation, self._call.id) if caller.conversation else None,
                leaving_cancels=self._era.leaving_cancels,
                session_key=key_of(caller.session) if caller.session else None,
            )
        )

    def _perform(self, caller: Caller) -> Answer:
        method = self._era.methods.get(self._call.method)
        if method is None:
            raise RpcError(
                jsonrpc.METHOD_NOT_FOUND, "Method not found", reason="method_not_found", method=self._call.method[:100]
            )
        outcome = method(caller, self._call.params)
        if outcome.listening is not None:
            return self._listen(caller, outcome.listening)
        content = jsonrpc.result_bytes(self._call.id, self._era.dress(caller, self._call.method, outcome.result))
        return Answer(content, 200, outcome.headers)

    def _listen(self, caller: Caller, wants: Wants) -> Answer:
        """The stream that the call opens, whose id goes with every message (MCP 2026-07-28, basic/patterns)."""
        meta = {SUBSCRIPTION_ID: self._call.id}
        acknowledgement = (
            "notifications/subscriptions/acknowledged",
            {"notifications": acknowledged(wants), "_meta": meta},
        )
        dressed = self._era.dress(caller, self._call.method, {"_meta": meta})
        farewell = jsonrpc.result_bytes(self._call.id, dressed)
        return Answer(status=200, listening=Listening(acknowledgement, replace(wants, meta=meta), farewell))
