"""Where the next page of a list begins, as only this server can write it (MCP, server/utilities/pagination)."""

from __future__ import annotations

from django.core import signing

from mcpapi.calls.context import Caller
from mcpapi.rpc.jsonrpc import Params, RpcError, invalid_params

MAX_CURSOR_CHARS = 200


def write_cursor(caller: Caller, method: str, position: int) -> str:
    """A cursor for `position` in the list that `method` shows to this user."""
    return signing.dumps(position, salt=_salt(caller, method))


def read_cursor(caller: Caller, method: str, params: Params) -> int | None:
    """The position of the cursor among `params`; None for the first page. Raises RpcError -32602 for a made-up one."""
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
    """Raise RpcError -32602 for any cursor: what `method` lists is one page."""
    if params.get("cursor") is not None:
        raise invalid_params(f"cursor: {method} has one page only; leave the cursor out")


def _salt(caller: Caller, method: str) -> str:
    return f"mcpapi.cursor:{method}:{caller.principal.owner_id}"


def _not_a_cursor(method: str) -> RpcError:
    return invalid_params(f"cursor: is not a nextCursor of {method}; leave it out to begin at the first page")
