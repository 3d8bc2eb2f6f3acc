"""Errors of the REST API: one JSON object for all, and the HTTP status of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import APIException
from rest_framework.response import Response

from mcpapi.rpc import jsonrpc
from mcpapi.rpc.jsonrpc import RpcError
from mcpapi.tool_failures import logger

TOOL_STATUSES: Mapping[str, int] = {
    "INVALID_INPUT": 400,
    "SECRET_REJECTED": 400,
    "not_configured": 400,
    "timeout": 408,
    "tool_error": 500,
    "APPROVAL_REJECTED": 403,
    "NOT_FOUND": 404,
    # Not 408, after which clients send the request again by themselves.
    "APPROVAL_TIMED_OUT": 409,
    "LIMIT_EXCEEDED": 413,
    "INTERNAL_ERROR": 500,
    "EMBEDDING_ERROR": 502,
    "DATABASE_ERROR": 503,
}
"""By the error code of a tool."""

BUILTIN_ERRORS: Mapping[str, tuple[str, int]] = {
    "INVALID_INPUT": ("bad_request", 400),
    "LIMIT_EXCEEDED": ("bad_request", 400),
    "SECRET_REJECTED": ("bad_request", 400),
    "NOT_FOUND": ("not_found", 404),
    "EMBEDDING_ERROR": ("embeddings_disabled", 400),
}
"""By the error code of a tool: the code and status at the endpoints of their own. Any other is internal (500)."""

PROTOCOL_ERROR_STATUSES: Mapping[int, int] = {
    jsonrpc.TOOL_NOT_ALLOWED: 403,
    jsonrpc.BUDGET_EXCEEDED: 429,
    jsonrpc.INTERNAL_ERROR: 500,
}
"""By the JSON-RPC code of an error without a status of its own. All others have 400."""

CODES: Mapping[str, str] = {
    "parse_error": "bad_request",
    "invalid_request": "bad_request",
    "invalid_params": "bad_request",
    "internal_error": "internal",
}
"""By the reason of an error: its code here. Any other error has its reason as the code."""


def not_found(details: str) -> RpcError:
    """Return the error for an unknown name or path (HTTP 404)."""
    return RpcError(jsonrpc.METHOD_NOT_FOUND, "Not found", reason="not_found", status=404, details=details)


def to_rpc_error(error: Exception) -> RpcError:
    """Return what the client may know of `error`. The text of an unexpected error is only logged."""
    match error:
        case RpcError():
            return error
        case APIException():
            reason = str(error.get_codes())
            return RpcError(jsonrpc.INVALID_REQUEST, str(error.detail), reason=reason, status=error.status_code)
    logger.error("A REST request failed unexpectedly", exc_info=error)
    return jsonrpc.internal_error()


def error_response(error: RpcError) -> Response:
    """Return the response to a request that was refused before a tool ran."""
    extra = {name: value for name, value in error.data.items() if name not in {"reason", "details"}}
    reason = error.data["reason"]
    body = {"code": CODES.get(reason, reason), "message": error.data.get("details", error.message), **extra}
    status = error.status or PROTOCOL_ERROR_STATUSES.get(error.code, 400)
    return Response({"error": body}, status=status, headers=error.headers)


def tool_error_response(error: Mapping[str, Any]) -> Response:
    """Return the response to the call of a tool that failed."""
    return Response({"error": error}, status=TOOL_STATUSES.get(error["code"], 500))


def builtin_error_response(error: Mapping[str, Any]) -> Response:
    """Return the response to a call of `search` or `get` at its own endpoint that failed."""
    code, status = BUILTIN_ERRORS.get(error["code"], ("internal", 500))
    return Response({"error": {**error, "code": code}}, status=status)
