"""`/mcp`: Streamable HTTP. From a request to one JSON-RPC answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from mcpapi import jsonrpc
from mcpapi.admission import admitted, refuse_strangers, step_up
from mcpapi.answers import refusal
from mcpapi.bodies import read_body
from mcpapi.dispatch import answer
from mcpapi.envelope import SESSION_HEADER, Envelope
from mcpapi.eras import HANDSHAKE, era_for
from mcpapi.eras.stateful import check_version
from mcpapi.errors import logger
from mcpapi.jsonrpc import NO_SESSION, RpcError
from mcpapi.origins import let_origin_read, preflight
from mcpapi.sessions import end_session
from mcpapi.streams.event_stream import EventStream
from mcpapi.streams.http import accepts_events, listening_stream, session_stream
from mcpapi.streams.post import PostStream, reads_events
from oauthserver.bearer import Principal

JSON = "application/json"
ALLOWED_METHODS = "POST, GET, DELETE, OPTIONS"


@csrf_exempt
def mcp(request: HttpRequest) -> HttpResponseBase:
    """The endpoint. Whatever goes wrong inside, the client gets a JSON-RPC error and the log gets the rest."""
    response = _guarded(request)
    response["Vary"] = "Origin"
    if isinstance(response, HttpResponse):
        # Django's own middleware would add it; without it the server sends small answers in chunks.
        response["Content-Length"] = str(len(response.content))
    return response


def _guarded(request: HttpRequest) -> HttpResponseBase:
    try:
        refuse_strangers(request)
    except RpcError as error:
        return _refusal(error)
    return let_origin_read(request, _answer(request))


def _answer(request: HttpRequest) -> HttpResponseBase:
    handler = _HANDLERS.get(request.method or "")
    if handler is None:
        return HttpResponse(status=405, headers={"Allow": ALLOWED_METHODS})
    try:
        return handler(request)
    except RpcError as error:
        return _refusal(error)
    except Exception:  # noqa: BLE001 - the last line of defence: no stack trace, no 500 page
        logger.exception("A request to /mcp failed unexpectedly")
        return _refusal(jsonrpc.internal_error())


def _post(request: HttpRequest) -> HttpResponseBase:
    principal = _with_live_connection(admitted, request)
    stream = PostStream()
    say = stream.say if reads_events(request) else None
    answered = answer(principal, Envelope.of_request(request, say), read_body(request))
    if answered.unfinished is not None:
        going_on = stream.carry(request, principal, answered.unfinished)
        if isinstance(going_on, EventStream):
            return going_on
        answered = going_on
    if answered.listening is not None:
        return listening_stream(request, principal, answered.listening)
    headers = {**answered.headers, **(step_up(request, answered.error) if answered.error else {})}
    return HttpResponse(answered.content, status=answered.status, content_type=JSON, headers=headers)


def _get(request: HttpRequest) -> HttpResponseBase:
    """The session's own stream, which the stateless era has given up."""
    principal = _with_live_connection(admitted, request)
    envelope = Envelope.of_request(request)
    if era_for(envelope, None) is not HANDSHAKE or not accepts_events(request):
        return HttpResponse(status=405, headers={"Allow": ALLOWED_METHODS})
    return session_stream(request, HANDSHAKE.admit_listener(envelope, principal))


def _delete(request: HttpRequest) -> HttpResponse:
    principal = _with_live_connection(admitted, request)
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


def _preflight(request: HttpRequest) -> HttpResponse:
    return preflight()


_HANDLERS: Mapping[str, Callable[[HttpRequest], HttpResponseBase]] = {
    "POST": _post,
    "GET": _get,
    "DELETE": _delete,
    "OPTIONS": _preflight,
}


def _with_live_connection(first_query: Callable[[HttpRequest], Principal], request: HttpRequest) -> Principal:
    """Run the request's first query; where the database has restarted meanwhile, once more on a new connection.

    This replaces Django's health check, which would cost every request a round trip of its own.
    """
    connection.health_check_done = True  # type: ignore[attr-defined] # unknown to the stubs
    try:
        return first_query(request)
    except (OperationalError, InterfaceError):
        if connection.in_atomic_block:
            raise
        connection.close()
        return first_query(request)


def _refusal(error: RpcError) -> HttpResponse:
    """What is said before any message is read."""
    refused = refusal(HANDSHAKE, error)
    return HttpResponse(refused.content, status=refused.status, content_type=JSON, headers=dict(refused.headers))
