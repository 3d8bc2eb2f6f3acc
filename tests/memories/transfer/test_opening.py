"""Tests of reading import files: the detected format, the entries, and the line numbers."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterable

import pytest

from memories.transfer.entries import Entry, UnreadableFile
from memories.transfer.formats.lines import MAX_LINE_BYTES
from memories.transfer.opening import open_import
from memories.transfer.options import Format, ImportOptions


def entries(content: bytes | str, name: str = "facts", chosen: Format = Format.AUTO) -> list[Entry]:
    raw = content.encode() if isinstance(content, str) else content
    return list(open_import(io.BytesIO(raw), name, ImportOptions(chosen)).entries)


def values(found: Iterable[Entry]) -> list[object]:
    return [entry.value for entry in found]


def test_each_line_of_a_text_file_is_a_fact() -> None:
    found = entries("Likes tea.\r\n\n  \nLives in Graz.")

    assert [str(value).strip() for value in values(found)] == ["Likes tea.", "Lives in Graz."]
    assert [entry.place for entry in found] == ["line 1", "line 4"]


@pytest.mark.parametrize(
    "document",
    ['["a", {"text": "b"}]', '{"memories": ["a", {"text": "b"}]}', '{"ok": true,\n "memories":\n["a", {"text": "b"}]}'],
)
def test_a_json_document_is_a_list_or_holds_one(document: str) -> None:
    found = entries(document)

    assert values(found) == ["a", {"text": "b"}]
    assert [entry.place for entry in found] == ["item 1", "item 2"]


@pytest.mark.parametrize("lines", ['{"text": "a"}\n"b"\n', '\n\n{"text": "a"}\n\n"b"', '\ufeff{"text": "a"}\r\n"b"'])
def test_whole_values_a_line_are_json_lines(lines: str) -> None:
    assert values(entries(lines)) == [{"text": "a"}, "b"]


def test_a_line_that_only_begins_like_json_text_is_a_fact() -> None:
    assert values(entries('"Maybe" is what she says.')) == ['"Maybe" is what she says.']


@pytest.mark.parametrize(("name", "first"), [("facts.TXT", "[x] Bought milk."), ("facts.jsonl", "not valid JSON")])
def test_the_name_of_a_file_tells_its_format(name: str, first: str) -> None:
    (found,) = entries(first, name)

    assert found.place == "line 1"
    assert (found.error is None) is name.endswith("TXT")


def test_the_chosen_format_wins_over_name_and_content() -> None:
    assert values(entries('{"text": "a"}', "facts.jsonl", Format.TEXT)) == ['{"text": "a"}']


def test_nothing_is_read_from_an_empty_file() -> None:
    assert entries("") == entries("\n \n") == []


def test_a_byte_order_mark_is_no_part_of_a_fact() -> None:
    assert values(entries("\ufeffLikes tea.")) == ["Likes tea."]


@pytest.mark.parametrize(
    ("bad_line", "problem"),
    [
        (b'{"text": ', "not valid JSON"),
        (b'{"text": "\xff"}', "not valid JSON: 'utf-8' codec"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 10_000, "not valid JSON"),
    ],
)
def test_a_bad_line_fails_alone(bad_line: bytes, problem: str) -> None:
    first, bad, last = entries(b'"a"\n' + bad_line + b'\n"c"\n', chosen=Format.JSONL)

    assert (first.value, last.value) == ("a", "c")
    assert bad.place == "line 2"
    assert problem in str(bad.error)


def test_a_line_that_is_not_utf_8_names_the_byte() -> None:
    _, bad = entries(b"fine\ncaf\xe9\n")

    assert str(bad.error) == "it is not valid UTF-8 at byte 4. Save the file as UTF-8."


@pytest.mark.parametrize("chosen", [Format.TEXT, Format.JSONL])
def test_a_huge_line_fails_alone_and_is_never_in_memory(chosen: Format) -> None:
    stream = io.BytesIO(b'"a"\n"' + b"x" * 20 * MAX_LINE_BYTES + b'"\n"c"\n')
    tracemalloc.start()
    try:
        found = list(open_import(stream, "facts", ImportOptions(chosen)).entries)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert [entry.place for entry in found] == ["line 1", "line 2", "line 3"]
    assert str(found[1].error) == f"it is longer than {MAX_LINE_BYTES} bytes, which is the limit."
    assert found[0].error is found[2].error is None
    assert peak < 5 * MAX_LINE_BYTES


def test_a_line_of_just_the_allowed_length_is_read() -> None:
    (found,) = entries(b"x" * (MAX_LINE_BYTES - 1) + b"\n", chosen=Format.TEXT)

    assert found.error is None


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("Likes tea.".encode("utf-16"), "UTF-16"),
        (b'[{"text": "a"}', "is not valid JSON"),
        (b'{"text":\n"a"}', "must be a JSON list, or an object"),
        (b'{"memories": 3,\n"a": 1}', "must be a JSON list, or an object"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[1] \xff", "is not valid JSON"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_in_one_line(content: bytes, problem: str) -> None:
    with pytest.raises(UnreadableFile, match=problem) as caught:
        entries(content, "facts.json")

    assert str(caught.value).startswith("facts.json ")
    assert "\n" not in str(caught.value)


def test_a_document_on_one_line_that_is_longer_than_a_line_may_be_is_read() -> None:
    document = json.dumps({"memories": ["x" * 1000] * 1100})

    assert len(entries(document)) == 1100


@pytest.mark.parametrize("content", ['["a",\n"b",\n"c"\n]', '\n"a"\n"b"\n"c"', "a\nb\nc"])
def test_how_many_entries_there_are_is_known_before_they_are_read(content: str) -> None:
    source = open_import(io.BytesIO(content.encode()), "facts")

    assert source.total == len(list(source.entries)) == 3
