"""`/mcp/sse` and `/mcp/sse/message`: HTTP+SSE, the transport of 2024-11-05, for clients that know no other."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from mcpapi.calls.context import Caller
from mcpapi.eras.versions import OLDEST_HANDSHAKE
from mcpapi.errors import logger
from mcpapi.execution.dispatch import answer
from mcpapi.execution.pending import CallUnderWay
from mcpapi.execution.responses import Answer, Continuation
from mcpapi.http.bodies import hold_turn_of, read_body
from mcpapi.http.entry import endpoint
from mcpapi.http.event_stream import EventStream
from mcpapi.http.notification_streams import presence, staying
from mcpapi.http.sse_stream import SseStream
from mcpapi.methods.subscriptions import wants_of_session
from mcpapi.models import Session
from mcpapi.observability.audit import record_stream
from mcpapi.rpc.envelope import Envelope
from mcpapi.rpc.jsonrpc import RpcError
from mcpapi.state.rate_limit import spend
from mcpapi.state.sessions import find_session, new_session, session_not_found
from mcpapi.state.sse_mailbox import is_abandoned, put
from mcpapi.subscriptions.streams import refuse_too_many
from oauthserver.resource_server.bearer import Principal

MESSAGE_PATH = "/mcp/sse/message"


def _open(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    """A stream, whose first event says where the client sends its messages. Raises RpcError (HTTP 429)."""
    spend(principal, 1)
    refuse_too_many(principal)
    session_id, session = new_session(principal, protocol_version=OLDEST_HANDSHAKE, over_sse=True)
    wants = wants_of_session(Caller.of(principal, OLDEST_HANDSHAKE, session=session))
    stream = SseStream(principal, wants, presence(request), session)
    opened = EventStream(stream.begin(f"{MESSAGE_PATH}?session_id={session_id}"))
    record_stream(principal, session)
    return opened


def _take(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    """A message of the client's, whose answer goes out on its stream. Raises RpcError (HTTP 404) without one."""
    session = find_session(principal, request.GET.get("session_id", ""), over_sse=True)
    if is_abandoned(session):
        raise session_not_found()
    envelope = Envelope(session=session, say=lambda message: put(session, message))
    answered = answer(principal, envelope, read_body(request))
    if answered.continuation is not None:
        _go_on(request, principal, session, answered.continuation)
    else:
        _deliver(session, answered)
    return HttpResponse("Accepted", status=202, content_type="text/plain")


def _go_on(request: HttpRequest, principal: Principal, session: Session, continuation: Continuation) -> None:
    try:
        refuse_too_many(principal)
    except RpcError as error:
        _deliver(session, continuation.give_up(error))
    else:
        release_body = hold_turn_of(request)

        def deliver(answered: Answer) -> None:
            try:
                _deliver(session, answered)
            finally:
                release_body()

        CallUnderWay(principal, continuation, deliver, staying(request, principal)).start()


def _deliver(session: Session, answered: Answer) -> None:
    """Have the answer sent; where the connection broke while the call ran, by another one."""
    if not answered.message:
        return
    try:
        put(session, answered.message)
    except (OperationalError, InterfaceError):
        logger.exception("An answer is sent on its stream at the second attempt, if it can be")
        connection.close()
        put(session, answered.message)


sse = endpoint({"GET": _open})
sse_message = endpoint({"POST": _take})
