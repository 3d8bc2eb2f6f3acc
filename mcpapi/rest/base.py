"""What every endpoint of the REST face does before and after its own work."""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mcpapi.calls.context import Caller
from mcpapi.http.entry import (
    add_cors_headers,
    authenticated_principal,
    check_host_and_origin,
    origin_is_allowed,
    preflight,
    step_up_headers,
)
from mcpapi.observability.audit import record_call
from mcpapi.rest.errors import error_response, to_rpc_error
from mcpapi.rest.json import JsonOnlyNegotiation, JsonRenderer
from mcpapi.rpc.jsonrpc import Call, RpcError
from mcpapi.state.rate_limit import consume_rate_limit

REST = "REST"
"""What stands in the record of activity in the place of a protocol revision."""

METHODS = frozenset({"tools/list", "tools/call", "tools/sources", "agents/list", "agents/prompt"})
"""What can be called, as the record has it."""


class RestView(APIView):
    """An endpoint: the caller is who the bearer token says, and each call counts and is recorded as one at `/mcp`.

    `method` is its name in the record, `caller` who calls, once they are admitted. Neither cookies nor sessions are
    looked at, so nothing can be forged with them.
    """

    authentication_classes = ()
    permission_classes = ()
    parser_classes = ()
    renderer_classes = (JsonRenderer,)
    content_negotiation_class = JsonOnlyNegotiation
    method = ""

    caller: Caller
    is_admitted = False
    rpc_error: RpcError | None = None

    @property
    def call(self) -> Call:
        """The call, as the record has it."""
        return Call(self.method, dict(self.kwargs))

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Let in who may come. Raises RpcError. A browser that asks whether it may call sends no token yet."""
        self.started_at = time.perf_counter()
        check_host_and_origin(django_request(request))
        if request.method != "OPTIONS":
            super().initial(request, *args, **kwargs)

    def perform_authentication(self, request: Request) -> None:
        """Raises RpcError (HTTP 401 or 403)."""
        self.caller = Caller.of(authenticated_principal(django_request(request)), REST)
        self.is_admitted = True

    def check_throttles(self, request: Request) -> None:
        """Raises RpcError (HTTP 429)."""
        consume_rate_limit(self.caller.principal, 1)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override] # less than theirs
        """The answer to a browser's question before it calls."""
        return preflight()

    def handle_exception(self, exc: Exception) -> Response:
        """The answer that a refusal is."""
        self.rpc_error = to_rpc_error(exc)
        response = error_response(self.rpc_error)
        for name, value in step_up_headers(django_request(self.request), self.rpc_error).items():
            response[name] = value
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Record the call, and let the page that asked read the answer."""
        if self.is_admitted:
            record_call(
                self.caller.principal,
                METHODS,
                self.call,
                caller=self.caller,
                error=self.rpc_error,
                started_at=self.started_at,
            )
        response["Vary"] = "Origin"
        # What a GET is answered would be kept, too, by caches that guess.
        response["Cache-Control"] = "no-store"
        asked = django_request(request)
        if origin_is_allowed(asked):
            add_cors_headers(asked, response)
        return super().finalize_response(request, response, *args, **kwargs)


def django_request(request: Request) -> HttpRequest:
    """The request that the framework has wrapped."""
    wrapped: HttpRequest = request._request
    return wrapped
