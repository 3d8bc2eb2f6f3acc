"""Signed pagination cursors (MCP, server/utilities/pagination)."""

from __future__ import annotations

from django.core import signing

from mcpapi.calls.caller import Caller
from mcpapi.rpc.jsonrpc import Params, RpcError, invalid_params

MAX_CURSOR_CHARS = 200


def write_cursor(caller: Caller, method: str, position: int) -> str:
    """Return a cursor for `position` in the list of `method`, valid only for this owner."""
    return signing.dumps(position, salt=_salt(caller, method))


def read_cursor(caller: Caller, method: str, params: Params) -> int | None:
    """Return the cursor's position in `params`, None for the first page. Raises RpcError -32602 if it is forged."""
    cursor = params.get("cursor")
    if cursor is None:
        return None
    if not isinstance(cursor, str) or len(cursor) > MAX_CURSOR_CHARS:
        raise _not_a_cursor(method)
    try:
        position: int = signing.loads(cursor, salt=_salt(caller, method))
    except signing.BadSignature:
        raise _not_a_cursor(method) from None
    return position


def refuse_cursor(method: str, params: Params) -> None:
    """Raise RpcError -32602 if `params` has a cursor: the list of `method` is a single page."""
    if params.get("cursor") is not None:
        raise invalid_params(f"cursor: {method} has only one page; leave out the cursor")


def _salt(caller: Caller, method: str) -> str:
    return f"mcpapi.cursor:{method}:{caller.principal.owner_id}"


def _not_a_cursor(method: str) -> RpcError:
    return invalid_params(f"cursor: must be a nextCursor of {method}; leave it out for the first page")
