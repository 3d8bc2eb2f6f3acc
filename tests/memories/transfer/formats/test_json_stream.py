"""Reading of JSON documents value by value."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any

import pytest

from memories.transfer.entries import UnreadableFile
from memories.transfer.formats import json_stream
from memories.transfer.formats.json_stream import WHOLE, items_of, shape_of


def items(content: str, key: str = WHOLE) -> list[object]:
    return list(items_of(io.BytesIO(content.encode()), "file", key))


class Trickle(io.BytesIO):
    """A stream that returns one byte at a time, as the worst case of a value that ends anywhere."""

    def read(self, _: int | None = -1) -> bytes:
        return super().read(1)


@pytest.mark.parametrize(
    "value",
    [[], [1, -2.5, 1e9, True, None], ["ä\\u00e4", 'a"b', "\U0001f98b"], [{"a": [1, {"b": []}]}, [], {}], [12345, 6]],
)
def test_values_are_those_of_the_standard_library_wherever_the_text_is_cut(value: list[Any]) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False), f" \n{json.dumps(value)}\n "):
        assert list(items_of(Trickle(text.encode()), "file", WHOLE)) == value


def test_the_lists_of_an_object_have_their_key_and_other_values_are_kept() -> None:
    shape = shape_of(io.BytesIO(b'{"count": 2, "results": [{"a": 1}, 2, 3, 4], "next": null, "none": []}'), "file")
    assert {key: found.count for key, found in shape.lists.items()} == {"results": 4, "none": 0}
    assert shape.lists["results"].samples == [{"a": 1}, 2, 3]
    assert shape.values == {"count": 2, "next": None}
    assert items('{"a": [1], "b": [2, 3]}', "b") == [2, 3]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[1, 2", "The file ends too early at character 6"),
        ('[1, 2, {"a": "unfinis', "Unterminated string"),
        ("[1 2]", "Expecting ','"),
        ("[1, 2],", "Extra data at character 7"),
        ('{"a": [1], "b" [2]}', "Expecting ':'"),
        ('{"a": [1], 3: 4}', "Expecting a name in double quotes"),
        ("[" * 100_000, "nested too deeply"),
        ("", "The file ends too early"),
    ],
)
def test_a_document_that_is_not_valid_names_the_character(content: str, problem: str) -> None:
    with pytest.raises(UnreadableFile, match=problem):
        shape_of(io.BytesIO(content.encode()), "file")


def test_a_long_list_is_never_in_memory_as_a_whole() -> None:
    stream = io.BytesIO(json.dumps([{"text": "x" * 1000, "number": n} for n in range(20_000)]).encode())
    tracemalloc.start()
    try:
        count = sum(1 for _ in items_of(stream, "file", WHOLE))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 20_000
    assert peak < 2_000_000


def test_a_value_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "MAX_VALUE_CHARS", 300_000)
    with pytest.raises(UnreadableFile, match="has a value of more than"):
        shape_of(io.BytesIO(json.dumps(["x" * 2_000_000]).encode()), "file")


def test_a_problem_in_a_long_document_is_found_before_its_end_is_read() -> None:
    stream = io.BytesIO(b'[{"a" 1}, ' + b'"x", ' * 500_000 + b"1]")
    with pytest.raises(UnreadableFile, match="Expecting ':' delimiter at character 7"):
        shape_of(stream, "file")
    assert stream.tell() < 1_000_000
