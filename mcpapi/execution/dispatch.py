"""The dispatch of messages to their era, independent of the transport."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcpapi.calls.caller import Caller
from mcpapi.eras import era_for
from mcpapi.eras.base import Era
from mcpapi.execution.call_execution import CallExecution
from mcpapi.execution.responses import ACCEPTED, RpcResponse, error_response
from mcpapi.methods.body_limits import check_message, parse_json
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.envelope import Envelope
from mcpapi.rpc.jsonrpc import Call, Reply, RpcError
from mcpapi.rpc.suspension import cancel_topic, publish
from mcpapi.state.rate_limit import consume_rate_limit
from mcpapi.tool_failures import logger
from oauthserver.resource_server.principal import Principal

CANCELLED = "notifications/cancelled"


def handle_message(principal: Principal, envelope: Envelope, body: bytes) -> RpcResponse:
    """Handle the message or batch in `body` and return its response. Raises nothing: a failure is an error response."""
    try:
        message = parse_json(body)
    except RpcError as error:
        return error_response(era_for(envelope, None), error)
    try:
        check_message(body, message)
        # Release the body: it may be large, and would otherwise be held while the call runs.
        del body
    except RpcError as error:
        return error_response(era_for(envelope, message), error, jsonrpc.readable_id(message))
    if isinstance(message, list):
        return _handle_batch(principal, replace(envelope, send_message=None), message)
    era = era_for(envelope, message)
    try:
        read = jsonrpc.read_message(message)
    except RpcError as error:
        return error_response(era, error, jsonrpc.readable_id(message))
    if isinstance(read, Reply) or read.is_notification:
        return _handle_one_way(era, envelope, principal, read)
    return CallExecution(principal, era, read).start(envelope)


def _handle_one_way(era: Era, envelope: Envelope, principal: Principal, incoming: Call | Reply) -> RpcResponse:
    """Handle a notification or a reply. Only an error in the message itself is reported, since it has no response."""
    try:
        if isinstance(incoming, Reply):
            era.take_reply(envelope, principal, incoming)
        else:
            _handle_notification(era.admit(envelope, principal, incoming), incoming)
    except RpcError as error:
        response = error_response(era, error, incoming.id)
    except Exception:  # noqa: BLE001 - as for a call
        logger.exception("A message without a response failed unexpectedly")
        response = error_response(era, jsonrpc.internal_error())
    else:
        return ACCEPTED
    return ACCEPTED if response.status == 200 else replace(response, is_response=False)


def _handle_notification(caller: Caller, notification: Call) -> None:
    request_id = jsonrpc.readable_id({"id": notification.params.get("requestId")})
    # Request ids are unique only within a session or connection: without one the request cannot be identified.
    if notification.method == CANCELLED and request_id is not None and caller.conversation_key:
        publish(cancel_topic(caller.conversation_key, request_id))


def _handle_batch(principal: Principal, envelope: Envelope, messages: Sequence[object]) -> RpcResponse:
    era = era_for(envelope, None)
    try:
        caller = era.admit_batch(envelope, principal, messages)
        consume_rate_limit(principal, len(messages))
    except RpcError as error:
        return error_response(era, error)
    except Exception:  # noqa: BLE001 - as for a single message
        logger.exception("A batch failed unexpectedly")
        return error_response(era, jsonrpc.internal_error())
    contents = [content for message in messages if (content := _handle_in_batch(era, envelope, caller, message))]
    return RpcResponse(b"[" + b",".join(contents) + b"]", 200) if contents else ACCEPTED


def _handle_in_batch(era: Era, envelope: Envelope, caller: Caller, message: object) -> bytes:
    try:
        read = jsonrpc.read_message(message)
    except RpcError as error:
        return error_response(era, error, jsonrpc.readable_id(message)).content
    if isinstance(read, Reply) or read.is_notification:
        _handle_one_way(era, envelope, caller.principal, read)
        return b""
    return CallExecution(caller.principal, era, read).run_for(caller.for_new_run()).content
