"""The entry of every request to the API: allowed hosts and origins, authentication, and errors as JSON-RPC."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from common.networking.cors import allow_origin, preflight
from mcpapi.eras import HANDSHAKE
from mcpapi.execution.responses import error_response
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.envelope import SESSION_META, SESSION_ROW
from mcpapi.rpc.jsonrpc import INVALID_REQUEST, NO_SESSION, UNAUTHORIZED, RpcError
from mcpapi.state.sessions import session_row
from mcpapi.tool_failures import logger
from oauthserver.resource_server.bearer import Forbidden, Unauthorized, authenticate, challenge, record_refusal
from oauthserver.resource_server.companion import Companion
from oauthserver.resource_server.principal import Principal

ALLOWED_REQUEST_HEADERS = (
    "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name"
)
EXPOSED_RESPONSE_HEADERS = "Mcp-Session-Id, WWW-Authenticate"

JSON = "application/json"

View = Callable[[HttpRequest], HttpResponseBase]
Handler = Callable[[HttpRequest, Principal], HttpResponseBase]


def endpoint(handlers: Mapping[str, Handler]) -> View:
    """Return a view that authenticates the request and passes it to the handler of its HTTP method.

    A handler may raise RpcError. On any other exception the client receives a JSON-RPC error, and the log the details.
    """

    @csrf_exempt
    def view(request: HttpRequest) -> HttpResponseBase:
        response = _guarded(request, handlers)
        response["Vary"] = "Origin"
        if isinstance(response, HttpResponse):
            # Django's middleware would set it, but does not run here. Without it the server sends small responses in
            # chunks.
            response["Content-Length"] = str(len(response.content))
        return response

    return view


def not_allowed(handlers: Mapping[str, Handler]) -> HttpResponse:
    """Return the response to an HTTP method that `handlers` lacks (HTTP 405)."""
    return HttpResponse(status=405, headers={"Allow": ", ".join([*handlers, "OPTIONS"])})


def _guarded(request: HttpRequest, handlers: Mapping[str, Handler]) -> HttpResponseBase:
    try:
        check_host_and_origin(request)
    except RpcError as error:
        return _refusal(error)
    return add_cors_headers(request, _answer(request, handlers))


def _answer(request: HttpRequest, handlers: Mapping[str, Handler]) -> HttpResponseBase:
    if request.method == "OPTIONS":
        return answer_preflight()
    handler = handlers.get(request.method or "")
    if handler is None:
        return not_allowed(handlers)
    try:
        return handler(request, with_live_connection(_admitted_principal, request))
    except RpcError as error:
        return _refusal(error)
    except Exception:  # noqa: BLE001 - the last line of defence: no stack trace, no 500 page
        logger.exception("A request to %s failed unexpectedly", request.path)
        return _refusal(jsonrpc.internal_error())


def _admitted_principal(request: HttpRequest) -> Principal:
    """Return the sender of `request`, and put the session that it names into its META. Raises RpcError."""
    session_id = request.META.get(SESSION_META)
    companion = session_row(session_id) if session_id else None
    principal = authenticated_principal(request, companion)
    request.META[SESSION_ROW] = companion
    return principal


def _refusal(error: RpcError) -> HttpResponse:
    """Return the response to a request that is refused before any message is read."""
    response = error_response(HANDSHAKE, error)
    return HttpResponse(response.content, status=response.status, content_type=JSON, headers=dict(response.headers))


def check_host_and_origin(request: HttpRequest) -> None:
    """Raise RpcError for a host that is not this server's (HTTP 400) or an origin that is not allowed (HTTP 403)."""
    if not host_is_allowed(request):
        raise unknown_host_error(request)
    if not origin_is_allowed(request):
        record_refusal(
            request, "origin_not_allowed", f"A web page of {request.META.get('HTTP_ORIGIN')!r} sent the request."
        )
        raise RpcError(
            INVALID_REQUEST,
            "Origin not allowed",
            reason="origin_not_allowed",
            status=403,
            details="The owner can add this page's origin to OWNSONA_ALLOWED_ORIGINS.",
        )


def unknown_host_error(request: HttpRequest) -> RpcError:
    """Record the refusal of a request to a foreign host for the owner, and return its error (HTTP 400)."""
    record_refusal(request, "unknown_host", f"The request has the Host header {request.META.get('HTTP_HOST')!r}.")
    return RpcError(
        INVALID_REQUEST,
        "Unknown host",
        reason="unknown_host",
        status=400,
        details="The Host header is not the name of this server.",
    )


def authenticated_principal(request: HttpRequest, companion: Companion | None = None) -> Principal:
    """Return the sender of `request`. Raises RpcError: HTTP 401 with the challenge (RFC 6750, section 3), or 403.

    The values of `companion` are read in the same query.
    """
    try:
        return authenticate(request, companion)
    except Unauthorized as error:
        record_refusal(request, error.reason, error.details, error.client)
        raise _unauthorized(request, error) from None
    except Forbidden as error:
        record_refusal(request, error.reason, error.details, error.client)
        raise RpcError(NO_SESSION, "Forbidden", reason=error.reason, status=403, details=error.details) from None


def with_live_connection(first_query: Callable[[HttpRequest], Principal], request: HttpRequest) -> Principal:
    """Run the request's first query. If the database has restarted meanwhile, retry once on a new connection.

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


def has_valid_token(request: HttpRequest) -> bool:
    """Return whether `authenticated_principal` would accept the request. A refusal is not recorded.

    Also False if the token could not be checked.
    """
    try:
        with_live_connection(authenticate, request)
    except (Unauthorized, Forbidden):
        return False
    except Exception:  # noqa: BLE001 - the view will meet the same error, and answer it
        logger.exception("Could not check the token of a large request")
        return False
    return True


def step_up_headers(request: HttpRequest, error: RpcError) -> dict[str, str]:
    """Return the headers that name the scope to request, if `error` is an insufficient scope."""
    if error.data["reason"] != "insufficient_scope":
        return {}
    scope = error.data["required_scope"]
    header = challenge(request, error="insufficient_scope", description=error.message, scope=scope)
    return {"WWW-Authenticate": header}


def _unauthorized(request: HttpRequest, error: Unauthorized) -> RpcError:
    # RFC 6750, section 3.1: a request that carries no token gets no error code.
    named = None if error.reason == "missing_token" else "invalid_token"
    header = challenge(request, error=named, description=named and error.details)
    return RpcError(
        UNAUTHORIZED,
        "Unauthorized",
        reason=error.reason,
        status=401,
        headers={"WWW-Authenticate": header},
        details=error.details,
    )


def host_is_allowed(request: HttpRequest) -> bool:
    """Return whether the Host header is one of this server's names. Any other is DNS rebinding or a mistake."""
    host = request.META.get("HTTP_HOST")
    if host is not None and settings.ALLOWED_HOSTS:
        return _is_allowed(host, tuple(settings.ALLOWED_HOSTS))
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return True


@lru_cache(64)
def _is_allowed(host: str, allowed: Sequence[str]) -> bool:
    """Return whether `HttpRequest.get_host` would accept the Host header, which it parses at every call."""
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, allowed)


def origin_is_allowed(request: HttpRequest) -> bool:
    """Return whether the request's `Origin` is absent, this server's, loopback (any port) or listed by the owner."""
    origin = request.META.get("HTTP_ORIGIN")
    if origin is None or origin == settings.PUBLIC_URL or origin in settings.ALLOWED_ORIGINS:
        return True
    try:
        parts = urlsplit(origin)
        return parts.scheme in {"http", "https"} and parts.hostname in settings.LOOPBACK_HOSTS
    except ValueError:
        return False


def add_cors_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Allow the calling page, whose origin was checked, to read `response`, but never with its cookies."""
    origin = request.META.get("HTTP_ORIGIN")
    if origin is not None:
        allow_origin(response, origin, EXPOSED_RESPONSE_HEADERS)
    return response


def answer_preflight() -> HttpResponse:
    """Return the response to a CORS preflight request."""
    return preflight("POST, GET, DELETE, OPTIONS", ALLOWED_REQUEST_HEADERS)
