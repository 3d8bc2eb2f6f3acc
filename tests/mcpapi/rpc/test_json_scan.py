"""Tests of the scans of JSON: their counts equal those of a parsed value."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcpapi.rpc import json_scan
from mcpapi.rpc.json_scan import JsonScan, may_exceed, scans


class Pairs(list[tuple[str, Any]]):
    """The members of an object, including those with equal names."""


TEXTS = st.text() | st.text(alphabet='"\\[]{},:un/é😀\n', max_size=20)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.lists(st.tuples(TEXTS, inner), max_size=5).map(Pairs),
    max_leaves=30,
)


def written(value: Any, write: Callable[[Any], str], blank: str) -> str:
    """Return `value` as JSON."""
    if isinstance(value, Pairs):
        members = [f"{write(name)}{blank}:{blank}{written(inner, write, blank)}" for name, inner in value]
        return "{" + f"{blank},".join(members) + blank + "}"
    if isinstance(value, list):
        return "[" + f"{blank},".join(written(inner, write, blank) for inner in value) + blank + "]"
    return write(value)


def separators_of(value: Any) -> int:
    """Count the opening brackets, commas and colons of a parsed value."""
    if not isinstance(value, list):
        return 0
    names = len(value) if isinstance(value, Pairs) else 0
    inner = [member[1] for member in value] if isinstance(value, Pairs) else value
    return 1 + names + max(len(value) - 1, 0) + sum(map(separators_of, inner))


def depth_of(value: Any) -> int:
    """Return the nesting depth of the lists and objects of a value."""
    if not isinstance(value, list):
        return 0
    inner = [member[1] for member in value] if isinstance(value, Pairs) else value
    return 1 + max(map(depth_of, inner), default=0)


def scan_of(document: bytes, part_bytes: int) -> JsonScan:
    scan = JsonScan()
    for start in range(0, len(document), part_bytes):
        scan.feed(document[start : start + part_bytes])
    return scan


@given(VALUES, st.booleans(), st.sampled_from(["", " ", "\n\t "]), st.integers(1, 40))
@example(["\\", '"', '\\"', '"\\', "[", "é", "\\u0041"], False, "", 1)
@example(Pairs([('"', []), ("\\", Pairs()), ("a", 1), ("a", 2)]), True, " ", 2)
def test_a_scan_counts_what_a_parser_finds(value: Any, ascii_only: bool, blank: str, part_bytes: int) -> None:
    document = written(value, lambda leaf: json.dumps(leaf, ensure_ascii=ascii_only), blank).encode()
    parsed = json.loads(document, object_pairs_hook=Pairs)
    scan = scan_of(document, part_bytes)
    assert (scan.separators, scan.depth) == (separators_of(parsed), depth_of(parsed))


@given(st.text().filter(str.isprintable), st.booleans(), st.integers(1, 40))
@example('😀é\\"\\\\u', False, 1)
@example('😀é\\"\\\\u', True, 3)
def test_a_scan_counts_characters_as_they_are_decoded(text: str, ascii_only: bool, part_bytes: int) -> None:
    beyond = sum(character > "\uffff" for character in text) if ascii_only else 0
    document = json.dumps(text, ensure_ascii=ascii_only).encode()
    assert scan_of(document, part_bytes).characters == len(text) + beyond + len('""')


@given(VALUES, st.booleans(), st.tuples(*[st.integers(-1, 1)] * 3))
def test_what_cannot_exceed_the_limits_does_not(value: Any, ascii_only: bool, more: tuple[int, ...]) -> None:
    document = written(value, lambda leaf: json.dumps(leaf, ensure_ascii=ascii_only), "").encode()
    scan = scan_of(document, len(document) or 1)
    limits = {
        name: getattr(scan, name) + extra
        for name, extra in zip(("separators", "depth", "characters"), more, strict=True)
    }
    exceeds = any(getattr(scan, name) > limit for name, limit in limits.items())
    assert may_exceed(document, **limits) or not exceeds


@given(st.binary())
def test_whatever_is_no_json_is_scanned_without_an_error(document: bytes) -> None:
    scan = scan_of(document, 3)
    assert 0 <= scan.depth <= scan.separators <= len(document)


@pytest.mark.parametrize("beginning", [b'{"a": [1, "[[[[", 2]', b'["\\\\", "\\"[", [[1]]'])
@pytest.mark.parametrize("garbage", [b"\\", b'"', b']]]]"', b"\xff", b"\\u", b'\\"\\'])
def test_what_comes_after_an_error_takes_nothing_away(beginning: bytes, garbage: bytes) -> None:
    scan, before = JsonScan(), JsonScan()
    before.feed(beginning)
    scan.feed(beginning + garbage)
    assert scan.separators >= before.separators
    assert scan.depth >= before.depth
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(beginning + garbage)


def test_a_scan_can_be_stopped_after_its_first_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_scan, "PART_BYTES", 10)
    first = next(scans(b"[" + b"[]," * 1000 + b"0]"))
    assert 0 < first.separators <= 10
