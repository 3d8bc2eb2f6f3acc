"""The handshake era, 2024-11-05 to 2025-11-25: `initialize`, then requests with or without a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings

from mcpapi.calls.context import Caller, Method
from mcpapi.eras.base import MAY_TAKE_LONG
from mcpapi.eras.session_input import Conversation
from mcpapi.eras.session_methods import agreed_version, initialize, ping, set_log_level
from mcpapi.eras.trimming import shaped
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
from mcpapi.rpc.notifier import Say, speech_of
from mcpapi.state.server_requests import keep_reply
from mcpapi.state.sessions import find_session, key_of
from oauthserver.resource_server.bearer import Principal

MAX_BATCH_MESSAGES = 50


class HandshakeEra:
    """Revisions with an optional session; its revision holds, then the header's, then the newest one's."""

    statuses: Mapping[int, int] = {
        jsonrpc.PARSE_ERROR: 400,
        jsonrpc.INVALID_REQUEST: 400,
        jsonrpc.UNSUPPORTED_VERSION: 400,
    }
    codes: Mapping[int, int] = {jsonrpc.MISSING_CAPABILITY: jsonrpc.INVALID_PARAMS}
    names_no_id = False
    leaving_cancels = False

    def __init__(self) -> None:
        answered: dict[str, Method] = {
            "ping": ping,
            "logging/setLevel": set_log_level,
            "resources/subscribe": subscribe_to_resource,
            "resources/unsubscribe": unsubscribe_from_resource,
            **registry.SHARED,
        }
        offered = registry.capabilities(answered)

        def greet(caller: Caller, params: Params) -> Mapping[str, Any]:
            return initialize(caller, params, offered)

        self.methods: Mapping[str, Method] = {"initialize": greet, **answered}

    def admit(self, envelope: Envelope, principal: Principal, call: Call) -> Caller:
        """See `Era.admit`."""
        if call.method == "initialize":
            check_version(envelope)
            return Caller.of(principal, agreed_version(call.params), session=envelope.session)
        caller = _in_session(envelope, principal)
        return _able_to_speak(caller, envelope.say, call) if call.method in MAY_TAKE_LONG else caller

    def admit_batch(self, envelope: Envelope, principal: Principal, messages: Sequence[object]) -> Caller:
        """See `Era.admit_batch`."""
        caller = _in_session(envelope, principal)
        if caller.protocol_version not in BATCHING_VERSIONS:
            raise invalid_request("This revision has no batches: send one message a request.")
        if not 1 <= len(messages) <= MAX_BATCH_MESSAGES:
            raise invalid_request(f"A batch has 1 to {MAX_BATCH_MESSAGES} messages.")
        if any(isinstance(message, dict) and message.get("method") == "initialize" for message in messages):
            raise invalid_request("initialize must not be part of a batch.")
        return caller

    def admit_listener(self, envelope: Envelope, principal: Principal) -> Caller:
        """Who opens the stream of a session, or of all calls without one. Raises RpcError as `admit` does."""
        return _in_session(envelope, principal)

    def take_reply(self, envelope: Envelope, principal: Principal, reply: Reply) -> None:
        """See `Era.take_reply`: one that comes late, or from elsewhere than the question went to, is nobody's."""
        check_version(envelope)
        if session := _named_session(envelope, principal):
            keep_reply(session, reply)

    def dress(self, caller: Caller, method: str, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Era.dress`: what a revision does not know yet is left out."""
        return shaped(result, method, caller.protocol_version)


def check_version(envelope: Envelope) -> None:
    """Raise RpcError -32022 where the transport names a revision that is not of this era."""
    named = envelope.protocol_version
    if named is not None and named not in HANDSHAKE_VERSIONS:
        raise unsupported_version(named, (*STATELESS_VERSIONS, *HANDSHAKE_VERSIONS))


def _in_session(envelope: Envelope, principal: Principal) -> Caller:
    check_version(envelope)
    if session := _named_session(envelope, principal):
        return Caller.of(principal, session.protocol_version, session=session, conversation=key_of(session))
    if settings.MCP_REQUIRE_SESSION:
        raise RpcError(
            NO_SESSION,
            "Bad Request: No valid session ID provided",
            reason="no_session",
            status=400,
            details=f"Call initialize first and send its {SESSION_HEADER} with every request.",
        )
    return Caller.of(principal, envelope.protocol_version or NEWEST_HANDSHAKE, conversation=envelope.connection)


def _named_session(envelope: Envelope, principal: Principal) -> Session | None:
    """The session that the message belongs to, if it names one. Raises RpcError (HTTP 404)."""
    if envelope.session is not None or not envelope.session_id:
        return envelope.session
    return find_session(principal, envelope.session_id)


def _able_to_speak(caller: Caller, say: Say | None, call: Call) -> Caller:
    """The caller of a method that may take long, with the ways to its client."""
    session = caller.session
    speech = speech_of(call, caller.protocol_version, say, session.log_level if session else None)
    inputs = Conversation(session, say) if session and say else caller.inputs
    return replace(caller, speech=speech, inputs=inputs, can_wait=say is not None)
