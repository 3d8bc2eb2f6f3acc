"""The Streamable HTTP transport at `/mcp`."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from mcpapi.eras import HANDSHAKE, era_for
from mcpapi.eras.handshake import check_version
from mcpapi.execution.dispatch import handle_message
from mcpapi.http.bodies import read_body
from mcpapi.http.entry import JSON, Handler, endpoint, not_allowed, step_up_headers
from mcpapi.http.event_stream import EventStream
from mcpapi.http.notification_streams import may_accept_event_stream, session_stream, subscription_stream
from mcpapi.http.post_stream import PostStream, accepts_event_stream
from mcpapi.rpc.envelope import SESSION_HEADER, Envelope
from mcpapi.rpc.jsonrpc import NO_SESSION, RpcError
from mcpapi.state.sessions import end_session
from oauthserver.resource_server.principal import Principal


def _post(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    stream = PostStream()
    send_message = stream.send_message if accepts_event_stream(request) else None
    response = handle_message(principal, Envelope.of_request(request, send_message), read_body(request))
    if response.continuation is not None:
        going_on = stream.run_call(request, principal, response.continuation)
        if isinstance(going_on, EventStream):
            return going_on
        response = going_on
    if response.subscription is not None:
        return subscription_stream(request, principal, response.subscription)
    headers = {**response.headers, **(step_up_headers(request, response.error) if response.error else {})}
    return HttpResponse(response.content, status=response.status, content_type=JSON, headers=headers)


def _get(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    """Open the session's own stream. The stateless era has removed this stream."""
    envelope = Envelope.of_request(request)
    if era_for(envelope, None) is not HANDSHAKE or not may_accept_event_stream(request):
        return not_allowed(HANDLERS)
    return session_stream(request, HANDSHAKE.admit_listener(envelope, principal))


def _delete(request: HttpRequest, principal: Principal) -> HttpResponse:
    envelope = Envelope.of_request(request)
    check_version(envelope)
    if not envelope.session_id:
        raise RpcError(
            NO_SESSION,
            "Bad Request: No valid session ID provided",
            reason="no_session",
            status=400,
            details=f"Send the id of the session to end in {SESSION_HEADER}.",
        )
    end_session(principal, envelope.session_id)
    return HttpResponse(status=204)


HANDLERS: Mapping[str, Handler] = {"POST": _post, "GET": _get, "DELETE": _delete}

mcp = endpoint(HANDLERS)
