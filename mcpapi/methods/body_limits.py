"""Limits of request bodies, by method and tool: bytes, and what JSON may hold, checked before it is parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from mcpapi.catalog import CatalogTool, catalog
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.json_scan import may_exceed, scans
from mcpapi.rpc.jsonrpc import INVALID_REQUEST, RpcError
from mcpapi.tools.base import Tool

BYTES_PER_CHARACTER = 12
"""A character outside the BMP, escaped in JSON as two \\uXXXX. In the field of a form it has as many."""

BATCH_BYTES_PER_CHARACTER = 6
"""In a batch, which is held in memory as a whole: any character as it is, or one of the BMP escaped."""

MAX_BYTES = 25_000_000
"""No body is larger, whatever the settings allow: several copies of one must fit into the memory of a process."""

MAX_CHARACTERS = 10_000_000
SMALL_BYTES = 100_000
ROOM_BYTES = 64_000
"""For what stands beside one text: tags, ids, `_meta`."""

ROOM_BYTES_PER_ITEM = 24_000
"""Fifty escaped tags of 64 characters, and the rest of the fields of an item."""

ROOM_CHARACTERS_PER_ITEM = 6_000
SEPARATORS = 10_000
"""No limit is below this, neither in separators nor in bytes."""

SEPARATORS_PER_ITEM = 250
"""An item with all fields and fifty tags has eighty."""

MAX_DEPTH = 64

TEXT_METHODS = frozenset({"tools/call", "prompts/get", "resources/read", "completion/complete"})
"""The methods whose parameters, or answers to questions, may hold a text."""


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """The most that a body may have: bytes, separators and characters (see `JsonScan`)."""

    bytes: int
    separators: int
    characters: int


def small_limit() -> BodyLimit:
    """Return the limit of methods whose parameters hold no text, such as initialize and ping."""
    return BodyLimit(SMALL_BYTES, SEPARATORS, SMALL_BYTES)


def text_limit() -> BodyLimit:
    """Return the limit of a request with one text of MAX_TEXT_CHARS."""
    size = min(settings.MAX_TEXT_CHARS * BYTES_PER_CHARACTER + ROOM_BYTES, MAX_BYTES)
    return BodyLimit(size, SEPARATORS, size)


def largest_limit() -> BodyLimit:
    """Return the limit of a full batch of the longest texts, with room for the rest. No body may have more."""
    item_bytes = settings.MAX_TEXT_CHARS * BATCH_BYTES_PER_CHARACTER + ROOM_BYTES_PER_ITEM
    item_characters = settings.MAX_TEXT_CHARS + ROOM_CHARACTERS_PER_ITEM
    return BodyLimit(
        bytes=min(settings.MAX_BATCH_SIZE * item_bytes + SMALL_BYTES, MAX_BYTES),
        separators=settings.MAX_BATCH_SIZE * SEPARATORS_PER_ITEM + SEPARATORS,
        characters=min(settings.MAX_BATCH_SIZE * item_characters + SMALL_BYTES, MAX_CHARACTERS),
    )


def tool_limit(tool: CatalogTool | None) -> BodyLimit:
    """Return the limit of a call of `tool`; None stands for a tool that does not exist."""
    return largest_limit() if isinstance(tool, Tool) and tool.takes_many_texts else text_limit()


def message_limit(message: Any) -> BodyLimit:
    """Return the limit of a JSON-RPC message; of a batch, the sum of its messages' limits, at most that of a body."""
    if isinstance(message, list):
        return _sum_of([small_limit(), *(message_limit(part) for part in message if not isinstance(part, list))])
    method = message.get("method") if isinstance(message, dict) else None
    if method == "tools/call":
        params = message.get("params")
        name = params.get("name") if isinstance(params, dict) else None
        return tool_limit(catalog().tools_by_name.get(name) if isinstance(name, str) else None)
    if method is None and isinstance(message, dict):
        # A reply: questions have a limit of their own, and a reply above it must end its question.
        return largest_limit()
    return text_limit() if isinstance(method, str) and method in TEXT_METHODS else small_limit()


def _sum_of(limits: list[BodyLimit]) -> BodyLimit:
    largest = largest_limit()
    return BodyLimit(
        min(sum(limit.bytes for limit in limits), largest.bytes),
        min(sum(limit.separators for limit in limits), largest.separators),
        min(sum(limit.characters for limit in limits), largest.characters),
    )


def parse_json(body: bytes, limit: BodyLimit | None = None) -> Any:
    """Return the JSON value in `body`, parsed only if it is within the limit (the largest, by default).

    Raises RpcError: -32600 with HTTP 413 for more, -32700 for what is not JSON.
    """
    if len(body) > SEPARATORS or body.count(b"[") + body.count(b"{") > MAX_DEPTH:
        check_body(body, limit or largest_limit())
    return jsonrpc.decode(body)


def check_message(body: bytes, message: Any) -> None:
    """Raise RpcError (-32600, HTTP 413) where `body` has more than the limit of `message`, which it was parsed to."""
    if len(body) > SEPARATORS:
        check_body(body, message_limit(message))


def check_body(body: bytes, limit: BodyLimit) -> None:
    """Raise RpcError (-32600, HTTP 413) for a body that has more than the limit allows. Parses nothing."""
    if len(body) > limit.bytes:
        raise too_large(limit.bytes)
    if not may_exceed(body, separators=limit.separators, depth=MAX_DEPTH, characters=limit.characters):
        return
    for scan in scans(body):
        if scan.separators > limit.separators:
            raise _too_complex(f"at most {limit.separators} opening brackets, commas and colons outside of strings")
        if scan.depth > MAX_DEPTH:
            raise _too_complex(f"at most {MAX_DEPTH} levels of nesting")
        if scan.characters > limit.characters:
            raise _too_complex(f"at most {limit.characters} characters")


def too_large(limit_bytes: int) -> RpcError:
    """Return the error for a body with more bytes."""
    return RpcError(
        INVALID_REQUEST,
        "Request too large",
        reason="request_too_large",
        status=413,
        details=f"This request may have at most {limit_bytes} bytes.",
    )


def _too_complex(allowed: str) -> RpcError:
    return RpcError(
        INVALID_REQUEST,
        "Request too complex",
        reason="request_too_complex",
        status=413,
        details=f"The JSON of this request may have {allowed}.",
    )
