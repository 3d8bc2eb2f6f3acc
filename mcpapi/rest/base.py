"""The base of every REST endpoint: authentication, rate limit, errors and activity log."""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mcpapi.calls.caller import Caller
from mcpapi.http.entry import (
    add_cors_headers,
    answer_preflight,
    authenticated_principal,
    check_host_and_origin,
    origin_is_allowed,
    step_up_headers,
)
from mcpapi.observability.audit import record_call
from mcpapi.rest.errors import error_response, to_rpc_error
from mcpapi.rest.json import JsonOnlyNegotiation, JsonRenderer
from mcpapi.rpc.jsonrpc import Call, RpcError
from mcpapi.state.rate_limit import consume_rate_limit

REST = "REST"
"""The value that the activity log shows instead of a protocol revision."""

METHODS = frozenset({"tools/list", "tools/call", "tools/sources", "agents/list", "agents/prompt"})
"""The methods of the REST API, as the activity log names them."""


class RestView(APIView):
    """An endpoint. Calls are authenticated by bearer token, counted and recorded as those at `/mcp`.

    `method` is its name in the activity log. `caller` is set once the caller is admitted. Cookies and sessions are
    ignored, which rules out CSRF.
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
        """The call as the activity log shows it."""
        return Call(self.method, dict(self.kwargs))

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Admit the caller. Raises RpcError. A browser's preflight request carries no token and is exempt."""
        self.started_at = time.perf_counter()
        check_host_and_origin(django_request(request))
        if request.method != "OPTIONS":
            super().initial(request, *args, **kwargs)

    def perform_authentication(self, request: Request) -> None:
        """Authenticate the caller. Raises RpcError (HTTP 401 or 403)."""
        self.caller = Caller.of(authenticated_principal(django_request(request)), REST)
        self.is_admitted = True

    def check_throttles(self, request: Request) -> None:
        """Count the request against the rate limit. Raises RpcError (HTTP 429)."""
        consume_rate_limit(self.caller.principal, 1)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override] # less than theirs
        """Return the response to a CORS preflight request."""
        return answer_preflight()

    def handle_exception(self, exc: Exception) -> Response:
        """Return the error response to an exception."""
        self.rpc_error = to_rpc_error(exc)
        response = error_response(self.rpc_error)
        for name, value in step_up_headers(django_request(self.request), self.rpc_error).items():
            response[name] = value
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Record the call, and add the CORS and caching headers."""
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
        # Caches could otherwise store the response to a GET heuristically.
        response["Cache-Control"] = "no-store"
        asked = django_request(request)
        if origin_is_allowed(asked):
            add_cors_headers(asked, response)
        return super().finalize_response(request, response, *args, **kwargs)


def django_request(request: Request) -> HttpRequest:
    """Return Django's request inside of the framework's."""
    wrapped: HttpRequest = request._request
    return wrapped
