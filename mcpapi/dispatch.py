"""From a message to its answer, whatever transport brought it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcpapi import jsonrpc
from mcpapi.audit import record
from mcpapi.context import Caller
from mcpapi.envelope import Envelope
from mcpapi.eras import era_for
from mcpapi.eras.base import Era
from mcpapi.errors import logger
from mcpapi.jsonrpc import Call, Reply, RequestId, RpcError
from mcpapi.rate_limit import spend
from mcpapi.streams.subscribing import acknowledged
from mcpapi.streams.wants import Notification, Wants
from oauthserver.bearer import Principal

SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"


@dataclass(frozen=True, slots=True)
class Listening:
    """A stream that the client asked for: how it begins, what it tells, and the answer when the server ends it."""

    acknowledgement: Notification
    wants: Wants
    farewell: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back: JSON, empty where nobody waits for any, and how HTTP says it. `error`: the one that it is.

    With `listening`, a stream in its place.
    """

    content: bytes = b""
    status: int = 202
    headers: Mapping[str, str] = field(default_factory=dict)
    error: RpcError | None = None
    listening: Listening | None = None


ACCEPTED = Answer()


def answer(principal: Principal, envelope: Envelope, body: bytes) -> Answer:
    """The answer to the message, or the batch of messages, in `body`. Raises nothing: what fails is an error in it."""
    try:
        message = jsonrpc.decode(body)
    except RpcError as error:
        return refusal(era_for(envelope, None), error)
    if isinstance(message, list):
        return _answer_batch(principal, envelope, message)
    era = era_for(envelope, message)
    try:
        read = jsonrpc.read_message(message)
        if isinstance(read, Reply):
            era.admit_reply()
            return ACCEPTED
    except RpcError as error:
        return refusal(era, error, jsonrpc.readable_id(message))
    return _recorded(principal, era, read, lambda: _admit(era, envelope, principal, read))


def refusal(era: Era, error: RpcError, request_id: RequestId = None) -> Answer:
    """The answer that `error` is."""
    code = era.codes.get(error.code, error.code)
    content = jsonrpc.error_bytes(request_id, code, error, names_no_id=era.names_no_id)
    status = error.status or era.statuses.get(code, 200)
    return Answer(content, status, error.headers, error)


def _answer_batch(principal: Principal, envelope: Envelope, messages: Sequence[object]) -> Answer:
    era = era_for(envelope, None)
    try:
        caller = era.admit_batch(envelope, principal, messages)
        spend(principal, len(messages))
    except RpcError as error:
        return refusal(era, error)
    except Exception:  # noqa: BLE001 - as for a single message
        logger.exception("A batch failed unexpectedly")
        return refusal(era, jsonrpc.internal_error())
    contents = [content for message in messages if (content := _answer_in_batch(era, caller, message))]
    return Answer(b"[" + b",".join(contents) + b"]", 200) if contents else ACCEPTED


def _answer_in_batch(era: Era, caller: Caller, message: object) -> bytes:
    try:
        read = jsonrpc.read_message(message)
    except RpcError as error:
        return refusal(era, error, jsonrpc.readable_id(message)).content
    return b"" if isinstance(read, Reply) else _recorded(caller.principal, era, read, caller.for_another_call).content


def _admit(era: Era, envelope: Envelope, principal: Principal, call: Call) -> Caller:
    if not call.is_notification:
        spend(principal, 1)
    return era.admit(envelope, principal, call)


def _recorded(principal: Principal, era: Era, call: Call, admit: Callable[[], Caller]) -> Answer:
    """The answer to `call` from whomever `admit` lets in, with a line in the record of activity."""
    started_at = time.perf_counter()
    caller: Caller | None = None
    try:
        caller = admit()
        answered = ACCEPTED if call.is_notification else _perform(era, caller, call)
    except RpcError as error:
        answered = refusal(era, error, call.id)
    except Exception:  # noqa: BLE001 - so that the answer carries the request's id
        logger.exception("The method %.100s failed unexpectedly", call.method)
        answered = refusal(era, jsonrpc.internal_error(), call.id)
    if call.is_notification:
        # Nobody waits for the answer to a notification; only what is wrong with the request itself is said.
        return ACCEPTED if answered.status == 200 else answered
    record(principal, era.methods, call, caller=caller, error=answered.error, started_at=started_at)
    return answered


def _perform(era: Era, caller: Caller, call: Call) -> Answer:
    method = era.methods.get(call.method)
    if method is None:
        raise RpcError(
            jsonrpc.METHOD_NOT_FOUND, "Method not found", reason="method_not_found", method=call.method[:100]
        )
    outcome = method(caller, call.params)
    if outcome.listening is not None:
        return _listen(era, caller, call, outcome.listening)
    content = jsonrpc.result_bytes(call.id, era.dress(caller, call.method, outcome.result))
    return Answer(content, 200, outcome.headers)


def _listen(era: Era, caller: Caller, call: Call, wants: Wants) -> Answer:
    """The stream of the request `call`, whose id goes with every message (MCP 2026-07-28, basic/patterns)."""
    meta = {SUBSCRIPTION_ID: call.id}
    acknowledgement = (
        "notifications/subscriptions/acknowledged",
        {"notifications": acknowledged(wants), "_meta": meta},
    )
    farewell = jsonrpc.result_bytes(call.id, era.dress(caller, call.method, {"_meta": meta}))
    return Answer(status=200, listening=Listening(acknowledgement, replace(wants, meta=meta), farewell))
