"""Errors of the REST face: one JSON object for all of them, and the HTTP status of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import APIException
from rest_framework.response import Response

from mcpapi.errors import logger
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.jsonrpc import RpcError

TOOL_STATUSES: Mapping[str, int] = {
    "INVALID_INPUT": 400,
    "SECRET_REJECTED": 400,
    "APPROVAL_REJECTED": 403,
    "NOT_FOUND": 404,
    # Not 408, after which clients send the same again by themselves.
    "APPROVAL_TIMED_OUT": 409,
    "LIMIT_EXCEEDED": 413,
    "INTERNAL_ERROR": 500,
    "EMBEDDING_ERROR": 502,
    "DATABASE_ERROR": 503,
}
"""By the code of a tool that failed."""

PROTOCOL_ERROR_STATUSES: Mapping[int, int] = {jsonrpc.TOOL_NOT_ALLOWED: 403, jsonrpc.INTERNAL_ERROR: 500}
"""By the code of a refusal that has no status of its own; any other one is 400."""

CODES: Mapping[str, str] = {
    "parse_error": "bad_request",
    "invalid_request": "bad_request",
    "invalid_params": "bad_request",
    "internal_error": "internal",
}
"""By the reason of a refusal: what it is called here; any other one is called by its reason."""


def not_found(details: str) -> RpcError:
    """There is nothing of that name."""
    return RpcError(jsonrpc.METHOD_NOT_FOUND, "Not found", reason="not_found", status=404, details=details)


def to_rpc_error(error: Exception) -> RpcError:
    """What the client may know of `error`: the text of an unexpected one stays in the log."""
    match error:
        case RpcError():
            return error
        case APIException():
            reason = str(error.get_codes())
            return RpcError(jsonrpc.INVALID_REQUEST, str(error.detail), reason=reason, status=error.status_code)
    logger.error("A REST request failed unexpectedly", exc_info=error)
    return jsonrpc.internal_error()


def error_response(error: RpcError) -> Response:
    """The answer to a request that was refused before any tool had its say."""
    extra = {name: value for name, value in error.data.items() if name not in {"reason", "details"}}
    reason = error.data["reason"]
    body = {"code": CODES.get(reason, reason), "message": error.data.get("details", error.message), **extra}
    status = error.status or PROTOCOL_ERROR_STATUSES.get(error.code, 400)
    return Response({"error": body}, status=status, headers=error.headers)


def tool_error_response(error: Mapping[str, Any]) -> Response:
    """The answer of a tool that failed."""
    return Response({"error": error}, status=TOOL_STATUSES.get(error["code"], 500))
