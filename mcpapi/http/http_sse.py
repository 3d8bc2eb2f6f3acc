"""The HTTP+SSE transport of 2024-11-05 at `/mcp/sse` and `/mcp/sse/message`, for clients that know no newer one."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from mcpapi.calls.caller import Caller
from mcpapi.eras.versions import OLDEST_HANDSHAKE
from mcpapi.execution.dispatch import handle_message
from mcpapi.execution.pending import PendingCall
from mcpapi.execution.responses import Continuation, RpcResponse
from mcpapi.http.bodies import hold_turn_of, read_body
from mcpapi.http.entry import endpoint
from mcpapi.http.event_stream import EventStream
from mcpapi.http.http_sse_stream import SseStream
from mcpapi.http.notification_streams import authorization_check, principal_source
from mcpapi.methods.subscriptions import session_filter
from mcpapi.models import Session
from mcpapi.observability.audit import record_stream
from mcpapi.rpc.envelope import Envelope
from mcpapi.rpc.jsonrpc import RpcError
from mcpapi.state.rate_limit import consume_rate_limit
from mcpapi.state.sessions import find_session, new_session, session_not_found
from mcpapi.state.sse_mailbox import is_abandoned, put
from mcpapi.subscriptions.streams import check_stream_limit
from mcpapi.tool_failures import logger
from oauthserver.resource_server.principal import Principal

MESSAGE_PATH = "/mcp/sse/message"


def _open(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    """Open a stream. Its first event is the URL for the client's messages. Raises RpcError (HTTP 429)."""
    consume_rate_limit(principal, 1)
    check_stream_limit(principal)
    session_id, session = new_session(principal, protocol_version=OLDEST_HANDSHAKE, over_sse=True)
    subscription_filter = session_filter(Caller.of(principal, OLDEST_HANDSHAKE, session=session))
    stream = SseStream(principal, subscription_filter, principal_source(request), session)
    opened = EventStream(stream.begin(f"{MESSAGE_PATH}?session_id={session_id}"))
    record_stream(principal, session)
    return opened


def _take(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    """Handle a message of the client. Its stream carries the response. Raises RpcError (HTTP 404) without a session."""
    session = find_session(principal, request.GET.get("session_id", ""), over_sse=True)
    if is_abandoned(session):
        raise session_not_found()
    envelope = Envelope(session=session, send_message=lambda message: put(session, message))
    response = handle_message(principal, envelope, read_body(request))
    if response.continuation is not None:
        _run_pending(request, principal, session, response.continuation)
    else:
        _deliver(session, response)
    return HttpResponse("Accepted", status=202, content_type="text/plain")


def _run_pending(request: HttpRequest, principal: Principal, session: Session, continuation: Continuation) -> None:
    try:
        check_stream_limit(principal)
    except RpcError as error:
        _deliver(session, continuation.fail(error))
    else:
        release_body = hold_turn_of(request)

        def deliver(response: RpcResponse) -> None:
            try:
                _deliver(session, response)
            finally:
                release_body()

        PendingCall(principal, continuation, deliver, authorization_check(request, principal)).start()


def _deliver(session: Session, response: RpcResponse) -> None:
    """Put the response in the session's mailbox. Retry once if the database connection broke meanwhile."""
    if not response.message:
        return
    try:
        put(session, response.message)
    except (OperationalError, InterfaceError):
        logger.exception("Could not send a response on its stream. Trying once more")
        connection.close()
        put(session, response.message)


sse = endpoint({"GET": _open})
sse_message = endpoint({"POST": _take})
