"""The handshake era, 2024-11-05 to 2025-11-25: `initialize`, then requests with or without a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings

from mcpapi.calls.caller import Caller, Method
from mcpapi.eras.base import INTERACTIVE_METHODS
from mcpapi.eras.session_input import SessionInput
from mcpapi.eras.session_methods import initialize, negotiate_version, ping, set_log_level
from mcpapi.eras.trimming import trim_result
from mcpapi.eras.versions import (
    BATCHING_VERSIONS,
    HANDSHAKE_VERSIONS,
    NEWEST_HANDSHAKE,
    STATELESS_VERSIONS,
    unsupported_version,
)
from mcpapi.methods import registry
from mcpapi.methods.subscriptions import subscribe_to_resource, unsubscribe_from_resource
from mcpapi.models import Session
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.envelope import SESSION_HEADER, Envelope
from mcpapi.rpc.jsonrpc import NO_SESSION, Call, Params, Reply, RpcError, invalid_request
from mcpapi.rpc.notifier import SendMessage, notifier_for
from mcpapi.state.server_requests import keep_reply
from mcpapi.state.sessions import find_session, session_key_of
from oauthserver.resource_server.principal import Principal

MAX_BATCH_MESSAGES = 50


class HandshakeEra:
    """Revisions with an optional session. The session's revision applies, then the header's, then the newest one."""

    http_statuses: Mapping[int, int] = {
        jsonrpc.PARSE_ERROR: 400,
        jsonrpc.INVALID_REQUEST: 400,
        jsonrpc.UNSUPPORTED_VERSION: 400,
    }
    error_codes: Mapping[int, int] = {jsonrpc.MISSING_CAPABILITY: jsonrpc.INVALID_PARAMS}
    omits_null_id = False
    cancel_on_disconnect = False

    def __init__(self) -> None:
        methods: dict[str, Method] = {
            "ping": ping,
            "logging/setLevel": set_log_level,
            "resources/subscribe": subscribe_to_resource,
            "resources/unsubscribe": unsubscribe_from_resource,
            **registry.SHARED_METHODS,
        }
        server_capabilities = registry.capabilities(methods)

        def handle_initialize(caller: Caller, params: Params) -> Mapping[str, Any]:
            return initialize(caller, params, server_capabilities)

        self.methods: Mapping[str, Method] = {"initialize": handle_initialize, **methods}

    def admit(self, envelope: Envelope, principal: Principal, call: Call) -> Caller:
        """See `Era.admit`."""
        if call.method == "initialize":
            check_version(envelope)
            return Caller.of(principal, negotiate_version(call.params), session=envelope.session)
        caller = _in_session(envelope, principal)
        return (
            _with_client_channel(caller, envelope.send_message, call) if call.method in INTERACTIVE_METHODS else caller
        )

    def admit_batch(self, envelope: Envelope, principal: Principal, messages: Sequence[object]) -> Caller:
        """See `Era.admit_batch`."""
        caller = _in_session(envelope, principal)
        if caller.protocol_version not in BATCHING_VERSIONS:
            raise invalid_request("This revision has no batches: send one message per request.")
        if not 1 <= len(messages) <= MAX_BATCH_MESSAGES:
            raise invalid_request(f"A batch must have 1 to {MAX_BATCH_MESSAGES} messages.")
        if any(isinstance(message, dict) and message.get("method") == "initialize" for message in messages):
            raise invalid_request("initialize must not be part of a batch.")
        return caller

    def admit_listener(self, envelope: Envelope, principal: Principal) -> Caller:
        """Return the caller who opens the stream of a session, or of all calls without one. Raises RpcError."""
        return _in_session(envelope, principal)

    def take_reply(self, envelope: Envelope, principal: Principal, reply: Reply) -> None:
        """See `Era.take_reply`. A reply that is late, or from another session than was asked, is ignored."""
        check_version(envelope)
        if session := _named_session(envelope, principal):
            keep_reply(session, reply)

    def shape_result(self, caller: Caller, method: str, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Era.shape_result`. Fields that the revision does not know are removed."""
        return trim_result(result, method, caller.protocol_version)


def check_version(envelope: Envelope) -> None:
    """Raise RpcError -32022 if the transport names a revision that is not of this era."""
    named = envelope.protocol_version
    if named is not None and named not in HANDSHAKE_VERSIONS:
        raise unsupported_version(named, (*STATELESS_VERSIONS, *HANDSHAKE_VERSIONS))


def _in_session(envelope: Envelope, principal: Principal) -> Caller:
    check_version(envelope)
    if session := _named_session(envelope, principal):
        return Caller.of(principal, session.protocol_version, session=session, conversation_key=session_key_of(session))
    if settings.MCP_REQUIRE_SESSION:
        raise RpcError(
            NO_SESSION,
            "Bad Request: No valid session ID provided",
            reason="no_session",
            status=400,
            details=f"Call initialize first and send its {SESSION_HEADER} with every request.",
        )
    return Caller.of(principal, envelope.protocol_version or NEWEST_HANDSHAKE, conversation_key=envelope.connection)


def _named_session(envelope: Envelope, principal: Principal) -> Session | None:
    """Return the session that the message belongs to, or None if it names none. Raises RpcError (HTTP 404)."""
    if envelope.session is not None or not envelope.session_id:
        return envelope.session
    return find_session(principal, envelope.session_id, envelope.session_row)


def _with_client_channel(caller: Caller, send_message: SendMessage | None, call: Call) -> Caller:
    """Return the caller of a method that may take long, able to send messages to its client and to ask it for input."""
    session = caller.session
    notifier = notifier_for(call, caller.protocol_version, send_message, session.log_level if session else None)
    inputs = SessionInput(session, send_message) if session and send_message else caller.inputs
    return replace(caller, notifier=notifier, inputs=inputs, can_wait=send_message is not None)
