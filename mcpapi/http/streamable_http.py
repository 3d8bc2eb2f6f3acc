"""`/mcp`: Streamable HTTP. From a request to one JSON-RPC answer."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from mcpapi.eras import HANDSHAKE, era_for
from mcpapi.eras.handshake import check_version
from mcpapi.execution.dispatch import answer
from mcpapi.http.bodies import read_body
from mcpapi.http.entry import JSON, Handler, endpoint, not_allowed, step_up
from mcpapi.http.event_stream import EventStream
from mcpapi.http.notification_streams import accepts_events, listening_stream, session_stream
from mcpapi.http.post_stream import PostStream, reads_events
from mcpapi.rpc.envelope import SESSION_HEADER, Envelope
from mcpapi.rpc.jsonrpc import NO_SESSION, RpcError
from mcpapi.state.sessions import end_session
from oauthserver.resource_server.bearer import Principal


def _post(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    stream = PostStream()
    say = stream.say if reads_events(request) else None
    answered = answer(principal, Envelope.of_request(request, say), read_body(request))
    if answered.continuation is not None:
        going_on = stream.carry(request, principal, answered.continuation)
        if isinstance(going_on, EventStream):
            return going_on
        answered = going_on
    if answered.listening is not None:
        return listening_stream(request, principal, answered.listening)
    headers = {**answered.headers, **(step_up(request, answered.error) if answered.error else {})}
    return HttpResponse(answered.content, status=answered.status, content_type=JSON, headers=headers)


def _get(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    """The session's own stream, which the stateless era has given up."""
    envelope = Envelope.of_request(request)
    if era_for(envelope, None) is not HANDSHAKE or not accepts_events(request):
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
            details=f"Name the session to end in {SESSION_HEADER}.",
        )
    end_session(principal, envelope.session_id)
    return HttpResponse(status=204)


HANDLERS: Mapping[str, Handler] = {"POST": _post, "GET": _get, "DELETE": _delete}

mcp = endpoint(HANDLERS)
