"""Tests of the limits of bodies, by method, tool and JSON content, which are applied before anything is parsed."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from pytest_django import Settings

from mcpapi.catalog import PRODUCT
from mcpapi.methods.body_limits import (
    MAX_BYTES,
    MAX_DEPTH,
    BodyLimit,
    check_body,
    largest_limit,
    message_limit,
    parse_json,
    small_limit,
    text_limit,
    tool_limit,
)
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.jsonrpc import RpcError
from memories.validation.text import MAX_TAG_CHARS, MAX_TAGS

EMOJI = "\N{GRINNING FACE}"


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def full_item(text: str) -> dict[str, Any]:
    """Return an item of remember_batch with every possible field."""
    return {
        "text": text,
        "tags": [f"{number:02}" + "é" * (MAX_TAG_CHARS - 2) for number in range(MAX_TAGS)],
        "source_provider": "x" * 200,
        "importance": 0.5,
        "capture_mode": "explicit",
        "session_id": "x" * 200,
        "dedup_policy": "ask",
        "expires_at": "2031-05-17T14:00:00Z",
        "last_confirmed_at": "2026-05-17T14:00:00Z",
    }


def refusal_of(body: bytes, limit: BodyLimit | None = None) -> str:
    with pytest.raises(RpcError) as refused:
        check_body(body, limit or largest_limit())
    assert (refused.value.code, refused.value.status) == (-32600, 413)
    return f"{refused.value.data['reason']}: {refused.value.data['details']}"


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("letter", ["a", "é", "記", EMOJI, '"', "\\", "[", ",", "\n"])
def test_a_full_batch_of_the_longest_texts_is_within_the_limit(
    settings: Settings, letter: str, ascii_only: bool
) -> None:
    settings.MAX_TEXT_CHARS, settings.MAX_BATCH_SIZE = 2_000, 100
    # An escaped letter beyond U+FFFF has the length of two.
    length = settings.MAX_TEXT_CHARS // (2 if letter == EMOJI and ascii_only else 1)
    items = [full_item(letter * length) for _ in range(settings.MAX_BATCH_SIZE)]
    message = call("remember_batch", items=items)
    body = json.dumps(message, ensure_ascii=ascii_only, indent=1).encode()
    check_body(body, largest_limit())
    check_body(body, message_limit(message))
    assert parse_json(body) == message


@pytest.mark.parametrize("letter", ["a", EMOJI])
def test_one_of_the_longest_texts_is_within_the_limit_of_every_tool(letter: str) -> None:
    for tool in PRODUCT.tools:
        message = call(tool.name, **full_item(letter * 16_000))
        check_body(json.dumps(message).encode(), message_limit(message))


def test_only_three_tools_take_large_bodies() -> None:
    large = {tool.name for tool in (*PRODUCT.tools, *PRODUCT.unlisted) if tool_limit(tool) == largest_limit()}
    assert large == {"remember_batch", "update_memory_batch", "add_document"}


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"method": "initialize", "params": {"name": "remember_batch"}},
        {"method": "notifications/cancelled"},
        {"method": "tools/list"},
        {"method": ["tools/call"]},
        {"method": None, "id": 1}["id"],
    ],
)
def test_a_message_without_texts_has_a_small_limit(message: Any) -> None:
    assert message_limit(message) == small_limit()


@pytest.mark.parametrize(
    "message", [call("recall"), call("nothing"), {"method": "tools/call"}, {"method": "tools/call", "params": [1]}]
)
def test_a_call_of_any_other_tool_has_the_limit_of_one_text(message: Any) -> None:
    assert message_limit(message) == text_limit()


def test_a_batch_has_the_limits_of_its_messages_together() -> None:
    ping = {"method": "ping"}
    assert message_limit([]).bytes == small_limit().bytes
    assert message_limit([ping, ping, call("recall")]).bytes == 3 * small_limit().bytes + text_limit().bytes
    assert message_limit([call("remember_batch")] * 3) == largest_limit()


def test_the_last_of_two_methods_counts_as_it_does_for_the_call() -> None:
    assert message_limit(jsonrpc.decode(b'{"method": "tools/call", "method": "ping"}')) == small_limit()


def test_each_limit_is_told() -> None:
    limit = BodyLimit(bytes=1000, separators=100, characters=900)
    assert refusal_of(b" " * 1001, limit) == "request_too_large: This request may have at most 1000 bytes."
    told = refusal_of(b"[" + b"1," * 100 + b"1]", limit)
    assert told.startswith("request_too_complex: ")
    assert "100 opening brackets, commas and colons" in told
    assert "64 levels" in refusal_of(b"[" * 65 + b"]" * 65, limit)
    assert "900 characters" in refusal_of(b'"' + b"x" * 950 + b'"', limit)


def test_what_is_just_within_the_limits_passes() -> None:
    check_body(b"[" + b"1," * 99 + b"1]", BodyLimit(bytes=1000, separators=100, characters=900))
    check_body(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, small_limit())
    check_body(b'"' + b"[" * 10_000 + b'"', BodyLimit(bytes=20_000, separators=1, characters=20_000))


def test_no_setting_allows_more_than_memory_has_room_for(settings: Settings) -> None:
    settings.MAX_TEXT_CHARS, settings.MAX_BATCH_SIZE = 100_000, 1_000
    assert largest_limit().bytes == MAX_BYTES
    assert text_limit().bytes <= MAX_BYTES


@pytest.mark.parametrize(
    "unit", [b"[],", b'{"a":0},', b'"",', b'"a":', b"[", b'{"a":', b"{},", b"1,", b'"\\"",', b"[[[]]],"]
)
def test_dense_json_is_refused_before_anything_is_built(unit: bytes) -> None:
    body = b"[" + unit * (8_000_000 // len(unit))
    tracemalloc.start()
    try:
        with pytest.raises(RpcError):
            parse_json(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("tail", [EMOJI, "é", ""])
def test_more_text_than_a_full_batch_can_have_is_refused_before_it_is_decoded(tail: str) -> None:
    assert "characters" in refusal_of(b'["' + b"a" * 20_000_000 + tail.encode() + b'"]')
