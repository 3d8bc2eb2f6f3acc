"""The dispatch of messages to their era, independent of the transport."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcpapi.calls.context import Caller
from mcpapi.eras import era_for
from mcpapi.eras.base import Era
from mcpapi.errors import logger
from mcpapi.execution.call_execution import CallExecution
from mcpapi.execution.responses import ACCEPTED, Answer, refusal
from mcpapi.methods.body_limits import check_message, parse_json
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.envelope import Envelope
from mcpapi.rpc.jsonrpc import Call, Reply, RpcError
from mcpapi.rpc.suspension import cancel_topic, publish
from mcpapi.state.rate_limit import spend
from oauthserver.resource_server.bearer import Principal

CANCELLED = "notifications/cancelled"


def answer(principal: Principal, envelope: Envelope, body: bytes) -> Answer:
    """The answer to the message, or the batch of messages, in `body`. Raises nothing: what fails is an error in it."""
    try:
        message = parse_json(body)
    except RpcError as error:
        return refusal(era_for(envelope, None), error)
    try:
        check_message(body, message)
    except RpcError as error:
        return refusal(era_for(envelope, message), error, jsonrpc.readable_id(message))
    if isinstance(message, list):
        return _answer_batch(principal, replace(envelope, say=None), message)
    era = era_for(envelope, message)
    try:
        read = jsonrpc.read_message(message)
    except RpcError as error:
        return refusal(era, error, jsonrpc.readable_id(message))
    if isinstance(read, Reply) or read.is_notification:
        return _hear(era, envelope, principal, read)
    return CallExecution(principal, era, read).start(envelope)


def _hear(era: Era, envelope: Envelope, principal: Principal, told: Call | Reply) -> Answer:
    """The answer to what is no request: nobody waits for one, only what is wrong with the message itself is said."""
    try:
        if isinstance(told, Reply):
            era.take_reply(envelope, principal, told)
        else:
            _take_notification(era.admit(envelope, principal, told), told)
    except RpcError as error:
        refused = refusal(era, error, told.id)
    except Exception:  # noqa: BLE001 - as for a call
        logger.exception("A message without an answer failed unexpectedly")
        refused = refusal(era, jsonrpc.internal_error())
    else:
        return ACCEPTED
    return ACCEPTED if refused.status == 200 else replace(refused, is_response=False)


def _take_notification(caller: Caller, notification: Call) -> None:
    request_id = jsonrpc.readable_id({"id": notification.params.get("requestId")})
    # Without a session nobody could tell whose request has this number.
    if notification.method == CANCELLED and request_id is not None and caller.conversation:
        publish(cancel_topic(caller.conversation, request_id))


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
    contents = [content for message in messages if (content := _answer_in_batch(era, envelope, caller, message))]
    return Answer(b"[" + b",".join(contents) + b"]", 200) if contents else ACCEPTED


def _answer_in_batch(era: Era, envelope: Envelope, caller: Caller, message: object) -> bytes:
    try:
        read = jsonrpc.read_message(message)
    except RpcError as error:
        return refusal(era, error, jsonrpc.readable_id(message)).content
    if isinstance(read, Reply) or read.is_notification:
        _hear(era, envelope, caller.principal, read)
        return b""
    return CallExecution(caller.principal, era, read).run_for(caller.for_another_call()).content
