"""The execution of one call, in one run or with pauses, and its line in the activity log."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import ParamSpec

from django.db import DatabaseError

from mcpapi.calls.caller import Caller
from mcpapi.eras.base import Era
from mcpapi.execution.responses import RpcResponse, Subscription, error_response
from mcpapi.methods.subscriptions import ListenResult, filter_as_json
from mcpapi.methods.tools import notification_kinds
from mcpapi.observability.audit import record_call
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.envelope import Envelope
from mcpapi.rpc.jsonrpc import Call, RpcError
from mcpapi.rpc.suspension import CallCancelled, WaitForTopic, cancel_topic
from mcpapi.state.rate_limit import consume_rate_limit
from mcpapi.state.sessions import session_key_of
from mcpapi.tool_failures import logger
from oauthserver.resource_server.principal import Principal

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
        self.waits_for: WaitForTopic | None = None
        self.cancel_on_disconnect = era.cancel_on_disconnect

    def start(self, envelope: Envelope) -> RpcResponse:
        """Admit the caller and run the call."""
        return self._run_safely(self._admit_and_run, envelope)

    def run_for(self, caller: Caller) -> RpcResponse:
        """Run the call for a caller who is admitted already."""
        self._caller = caller
        return self._run_safely(self._run, caller)

    def resume(self) -> RpcResponse:
        """See `Continuation.resume`."""
        assert self._caller is not None
        # The previous run recorded memories that this run records again.
        self._caller = self._caller.for_new_run()
        return self._run_safely(self._resume, self._caller)

    def fail(self, error: RpcError) -> RpcResponse:
        """See `Continuation.fail`. A cancelled call has no response."""
        return self._finish(
            RpcResponse(error=error)
            if isinstance(error, CallCancelled)
            else error_response(self._era, error, self._call.id)
        )

    def interrupt(self, error: RpcError) -> None:
        """See `Continuation.interrupt`."""
        assert self._caller is not None
        self._caller.notifier.request_stop(error)

    @property
    def session_key(self) -> str | None:
        """See `Continuation.session_key`."""
        return session_key_of(self._caller.session) if self._caller and self._caller.session else None

    @property
    def cancel_topic(self) -> str | None:
        """See `Continuation.cancel_topic`."""
        conversation_key = self._caller.conversation_key if self._caller else ""
        return cancel_topic(conversation_key, self._call.id) if conversation_key else None

    def _run_safely(self, step: Callable[P, RpcResponse], *args: P.args, **kwargs: P.kwargs) -> RpcResponse:
        """Run `step` and turn whatever it raises into a response."""
        try:
            response = step(*args, **kwargs)
        except WaitForTopic as pause:
            self.waits_for = pause
            return RpcResponse(continuation=self)
        except RpcError as error:
            return self.fail(error)
        except Exception:  # noqa: BLE001 - so that the response carries the id of the request
            logger.exception("The method %.100s failed unexpectedly", self._call.method)
            return self.fail(jsonrpc.internal_error())
        return response if response.continuation else self._finish(response)

    def _admit_and_run(self, envelope: Envelope) -> RpcResponse:
        consume_rate_limit(self._principal, 1)
        self._caller = caller = self._era.admit(envelope, self._principal, self._call)
        # A client that wants progress or log messages reads them while the call runs, so the call must not run here.
        return (
            RpcResponse(continuation=self)
            if caller.notifier.wants_any(notification_kinds(self._call))
            else self._run(caller)
        )

    def _resume(self, caller: Caller) -> RpcResponse:
        response = self._run(caller)
        # Discard the result if the token was revoked while the call ran.
        caller.notifier.raise_if_stopped()
        return response

    def _run(self, caller: Caller) -> RpcResponse:
        method = self._era.methods.get(self._call.method)
        if method is None:
            raise RpcError(
                jsonrpc.METHOD_NOT_FOUND, "Method not found", reason="method_not_found", method=self._call.method[:100]
            )
        result = method(caller, self._call.params)
        if isinstance(result, ListenResult):
            return self._open_subscription(caller, result)
        content = jsonrpc.result_bytes(self._call.id, self._era.shape_result(caller, self._call.method, result))
        return RpcResponse(content, 200, caller.response_headers)

    def _open_subscription(self, caller: Caller, result: ListenResult) -> RpcResponse:
        """Return the stream that the call opens. Every message carries its id (MCP 2026-07-28, basic/patterns)."""
        meta = {SUBSCRIPTION_ID: self._call.id}
        acknowledgement = (
            "notifications/subscriptions/acknowledged",
            {"notifications": filter_as_json(result.subscription_filter), "_meta": meta},
        )
        shaped_result = self._era.shape_result(caller, self._call.method, {"_meta": meta})
        final_message = jsonrpc.result_bytes(self._call.id, shaped_result)
        return RpcResponse(
            status=200,
            subscription=Subscription(acknowledgement, replace(result.subscription_filter, meta=meta), final_message),
        )

    def _finish(self, response: RpcResponse) -> RpcResponse:
        """Write the activity log and delete the requests that were sent to the client."""
        if self._caller is not None:
            # Requests that are left behind are deleted once a day.
            with suppress(DatabaseError):
                self._caller.inputs.close()
        record_call(
            self._principal,
            self._era.methods,
            self._call,
            caller=self._caller,
            error=response.error,
            started_at=self._started_at,
        )
        return response
