"""What every MCP endpoint over HTTP does: who may come in, errors as JSON-RPC, what browsers may read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from mcpapi.eras import HANDSHAKE
from mcpapi.errors import logger
from mcpapi.execution.responses import refusal
from mcpapi.http.admission import admitted, refuse_strangers, with_live_connection
from mcpapi.http.origins import let_origin_read, preflight
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.jsonrpc import RpcError
from oauthserver.resource_server.bearer import Principal

JSON = "application/json"

View = Callable[[HttpRequest], HttpResponseBase]
Handler = Callable[[HttpRequest, Principal], HttpResponseBase]


def endpoint(handlers: Mapping[str, Handler]) -> View:
    """A view that has one of `handlers`, by HTTP method, answer whoever may come in.

    They may raise RpcError. Whatever goes wrong inside, the client gets a JSON-RPC error and the log gets the rest.
    """

    @csrf_exempt
    def view(request: HttpRequest) -> HttpResponseBase:
        response = _guarded(request, handlers)
        response["Vary"] = "Origin"
        if isinstance(response, HttpResponse):
            # Django's own middleware would add it; without it the server sends small answers in chunks.
            response["Content-Length"] = str(len(response.content))
        return response

    return view


def not_allowed(handlers: Mapping[str, Handler]) -> HttpResponse:
    """The answer to an HTTP method that is none of `handlers`."""
    return HttpResponse(status=405, headers={"Allow": ", ".join([*handlers, "OPTIONS"])})


def _guarded(request: HttpRequest, handlers: Mapping[str, Handler]) -> HttpResponseBase:
    try:
        refuse_strangers(request)
    except RpcError as error:
        return _refusal(error)
    return let_origin_read(request, _answer(request, handlers))


def _answer(request: HttpRequest, handlers: Mapping[str, Handler]) -> HttpResponseBase:
    if request.method == "OPTIONS":
        return preflight()
    handler = handlers.get(request.method or "")
    if handler is None:
        return not_allowed(handlers)
    try:
        return handler(request, with_live_connection(admitted, request))
    except RpcError as error:
        return _refusal(error)
    except Exception:  # noqa: BLE001 - the last line of defence: no stack trace, no 500 page
        logger.exception("A request to %s failed unexpectedly", request.path)
        return _refusal(jsonrpc.internal_error())


def _refusal(error: RpcError) -> HttpResponse:
    """What is said before any message is read."""
    refused = refusal(HANDSHAKE, error)
    return HttpResponse(refused.content, status=refused.status, content_type=JSON, headers=dict(refused.headers))
