"""JSON-RPC 2.0 messages, errors and codes, without input or output (https://www.jsonrpc.org/specification)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NO_SESSION = INSUFFICIENT_SCOPE = TOOL_NOT_ALLOWED = -32000
UNAUTHORIZED = -32001
RESOURCE_NOT_FOUND = -32002
BUDGET_EXCEEDED = -32003
RATE_LIMITED = -32004
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

MAX_ID_CHARS = 512

RequestId = str | int | float | None
"""A number is always a whole one, which JSON may spell 1.0."""

Params = dict[str, Any]


class RpcError(Exception):
    """A protocol error. `data` always has a `reason`. `status` is the HTTP status if it does not depend on the era."""

    def __init__(
        self,
        code: int,
        message: str,
        *,
        reason: str,
        status: int | None = None,
        headers: dict[str, str] | None = None,
        **data: Any,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = {"reason": reason, **data}
        self.status = status
        self.headers = headers or {}


def parse_error(details: str) -> RpcError:
    """Return the error for a body that is not JSON."""
    return RpcError(PARSE_ERROR, "Parse error", reason="parse_error", details=details)


def invalid_request(details: str) -> RpcError:
    """Return the error for JSON that is not a valid request."""
    return RpcError(INVALID_REQUEST, "Invalid Request", reason="invalid_request", details=details)


def invalid_params(details: str, **data: Any) -> RpcError:
    """Return the error for parameters that are invalid for the method."""
    return RpcError(INVALID_PARAMS, f"Invalid params: {details}", reason="invalid_params", **data)


def internal_error() -> RpcError:
    """Return the error for an internal failure. It reveals no details."""
    return RpcError(
        INTERNAL_ERROR,
        "Internal error",
        reason="internal_error",
        details="Something went wrong in the server. See its log for details.",
    )


@dataclass(frozen=True, slots=True)
class Call:
    """A valid request, or with `is_notification` a valid notification."""

    method: str
    params: Params = field(default_factory=dict)
    id: RequestId = None
    is_notification: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """A client's reply to a server request: the result, or with `is_error` the error."""

    id: RequestId
    content: object = None
    is_error: bool = False


def read_message(message: object) -> Call | Reply:
    """Return `message` as a call or a reply. Raises RpcError; `readable_id` finds the id for the error response."""
    if not isinstance(message, dict):
        raise invalid_request("A message must be a JSON object.")
    if message.get("jsonrpc") != "2.0":
        raise invalid_request('Missing required field: jsonrpc must be "2.0"')
    if "method" not in message:
        if "result" in message or "error" in message:
            is_error = "error" in message
            return Reply(readable_id(message), message["error" if is_error else "result"], is_error)
        raise invalid_request("Missing required field: method")
    return _read_call(message)


def _read_call(message: dict[str, Any]) -> Call:
    method, params = message["method"], message.get("params")
    if not isinstance(method, str):
        raise invalid_request("method must be a string")
    is_notification = "id" not in message
    # MCP forbids a null id: a response with it could not be matched to its request.
    if not is_notification and readable_id(message) is None:
        raise invalid_request(f"id must be a string of at most {MAX_ID_CHARS} characters or a whole number")
    if params is not None and not isinstance(params, dict):
        raise invalid_params("params must be an object")
    return Call(method, params or {}, readable_id(message), is_notification)


def decode(body: bytes) -> Any:
    """Parse `body`. Raises RpcError -32700."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        problem = str(error)
    # Raised outside of the except block: orjson's error holds the whole body, and would become the context.
    raise parse_error(f"The body is not valid JSON: {problem}")


def encode_params(name: str, value: object) -> bytes:
    """Encode the client's parameter `name` with sorted keys. Raises RpcError -32602 if it is nested too deeply."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    # orjson decodes deeper nesting than it encodes.
    except orjson.JSONEncodeError:
        raise invalid_params(f"{name} is nested too deeply") from None


def readable_id(message: object) -> RequestId:
    """Return the id of `message`, or None if it has no valid one."""
    candidate = message.get("id") if isinstance(message, dict) else None
    if isinstance(candidate, str) and len(candidate) <= MAX_ID_CHARS:
        return candidate
    if isinstance(candidate, int | float) and not isinstance(candidate, bool) and candidate == candidate // 1:
        return candidate
    return None


def result_bytes(request_id: RequestId, result: object) -> bytes:
    """Encode a response with a result. Results may hold `orjson.Fragment`s of JSON that is already encoded."""
    return orjson.dumps({"jsonrpc": "2.0", "id": request_id, "result": result})


def error_bytes(request_id: RequestId, code: int, error: RpcError, *, omits_null_id: bool = False) -> bytes:
    """Encode a response with an error. An id that could not be read is null, or absent if `omits_null_id`."""
    body = {"code": code, "message": error.message, "data": error.data}
    named = {} if omits_null_id and request_id is None else {"id": request_id}
    return orjson.dumps({"jsonrpc": "2.0", **named, "error": body})
