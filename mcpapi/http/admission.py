"""Who comes in over HTTP, and what the others are told: the same at `/mcp` and on the REST face."""

from __future__ import annotations

from collections.abc import Callable

from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest

from mcpapi.errors import logger
from mcpapi.http.origins import host_is_allowed, origin_is_allowed
from mcpapi.rpc.jsonrpc import INVALID_REQUEST, NO_SESSION, UNAUTHORIZED, RpcError
from oauthserver.resource_server.bearer import Forbidden, Principal, Unauthorized, authenticate, challenge, note_refusal


def refuse_strangers(request: HttpRequest) -> None:
    """Raise RpcError for a name that is not this server's (HTTP 400), or a page that may not call (HTTP 403)."""
    if not host_is_allowed(request):
        raise unknown_host(request)
    if not origin_is_allowed(request):
        note_refusal(request, "origin_not_allowed", f"A page of {request.META.get('HTTP_ORIGIN')!r} called.")
        raise RpcError(
            INVALID_REQUEST,
            "Origin not allowed",
            reason="origin_not_allowed",
            status=403,
            details="The owner can list this page's origin in OWNSONA_ALLOWED_ORIGINS.",
        )


def unknown_host(request: HttpRequest) -> RpcError:
    """The refusal of a request by a name that is not this server's (HTTP 400), kept for the owner."""
    note_refusal(request, "unknown_host", f"It was called by the name {request.META.get('HTTP_HOST')!r}.")
    return RpcError(
        INVALID_REQUEST,
        "Unknown host",
        reason="unknown_host",
        status=400,
        details="The Host header names no server that runs here.",
    )


def admitted(request: HttpRequest) -> Principal:
    """The one who sent `request`. Raises RpcError: HTTP 401 with the challenge (RFC 6750, section 3), or 403."""
    try:
        return authenticate(request)
    except Unauthorized as error:
        note_refusal(request, error.reason, error.details)
        raise _unauthorized(request, error) from None
    except Forbidden as error:
        note_refusal(request, error.reason, error.details)
        raise RpcError(NO_SESSION, "Forbidden", reason=error.reason, status=403, details=error.details) from None


def with_live_connection(first_query: Callable[[HttpRequest], Principal], request: HttpRequest) -> Principal:
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


def has_valid_token(request: HttpRequest) -> bool:
    """Whether `admitted` would let its sender in; nothing of a refusal is recorded. False where that cannot be said."""
    try:
        with_live_connection(authenticate, request)
    except (Unauthorized, Forbidden):
        return False
    except Exception:  # noqa: BLE001 - the view will meet the same error, and answer it
        logger.exception("Whether a large request has a valid token could not be found out")
        return False
    return True


def step_up(request: HttpRequest, error: RpcError) -> dict[str, str]:
    """The headers that tell a client which scope to ask for, where `error` is the lack of one."""
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
