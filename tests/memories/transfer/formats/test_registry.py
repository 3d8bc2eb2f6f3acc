"""Detection of formats by content."""

from __future__ import annotations

import pytest

from memories.transfer.entries import UnreadableFile
from memories.transfer.formats.base import JsonFormat, TextFormat
from memories.transfer.formats.json_stream import shape_of
from memories.transfer.formats.registry import JSON_FORMATS, TEXT_FORMATS
from memories.transfer.options import Format, ImportOptions
from tests.support.imports import FIXTURES, source_of, texts


@pytest.mark.parametrize(
    ("content", "label"),
    [
        ("Likes tea.\nLives in Graz.", "plain text"),
        ("[x] Bought milk.\nIt rained.", "plain text"),
        ("[a link](https://example.org) is here\nIt rained.", "plain text"),
        ("{curly} braces are fun\nIt rained.", "plain text"),
        ("# Tea\n\nLikes tea.", "Markdown"),
        ("- Likes tea.\n- Likes rain.", "Markdown"),
        ("a | b\n--- | ---\n1 | 2", "Markdown"),
        ("---\ntags: a\n---\nLikes tea.", "Markdown"),
        ("text,tags\nLikes tea.,a", "CSV"),
        ("Note;Date\nLikes tea.;", "CSV"),
        ("Tea, rain and fog are nice.\nIt rained.", "plain text"),
        ('["Likes tea."]', "JSON"),
        ("[]", "JSON"),
        ('[\n  {"text": "Likes tea."}\n]', "JSON"),
        ('{"memories": []}', "JSON"),
        ('{"text": "Likes tea."}', "JSON Lines"),
        ('"Likes tea."\n"Likes rain."', "JSON Lines"),
        ('{"results": [{"memory": "a", "user_id": "u"}]}', "mem0"),
        ('{"entities": [], "relations": []}', "knowledge graph"),
        ("", "plain text"),
    ],
)
def test_the_content_tells_the_format(content: str, label: str) -> None:
    assert source_of(content).format == label


@pytest.mark.parametrize(
    ("name", "content", "label"),
    [
        ("tea.md", "Likes tea.\nand rain", "Markdown"),
        ("tea.csv", "fact\nLikes tea.", "CSV"),
        ("tea.jsonl", "no JSON", "JSON Lines"),
    ],
)
def test_the_name_decides_where_the_content_fits_two_formats(name: str, content: str, label: str) -> None:
    assert source_of(content, name).format == label


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\x1f\x8b\x08\x00", "is compressed with gzip. Unpack it first."),
        ("Mag Käse\nWohnt in Köln\nHat einen Hund\n".encode("cp1252"), "is not UTF-8, but another encoding"),
        (b"PGDMP\x01\x0e", "Convert it with pg_restore --file=dump.sql."),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is not a text file"),
        ("Likes tea.".encode("utf-16"), "is UTF-16. Save it as UTF-8."),
        (b"SQLite format 3\x00 and nothing else", "is a damaged SQLite database"),
        (b"PK\x03\x04 and nothing else", "is a damaged ZIP archive"),
    ],
)
def test_a_file_that_is_no_import_says_what_to_do(content: bytes, problem: str) -> None:
    with pytest.raises(UnreadableFile, match=problem) as caught:
        source_of(content)
    assert "\n" not in str(caught.value)


def test_every_format_can_be_chosen_and_is_described() -> None:
    formats: list[JsonFormat | TextFormat] = [*JSON_FORMATS, *TEXT_FORMATS]
    assert {each.format for each in formats} == set(Format) - {Format.AUTO, Format.JSONL}
    assert len({each.label for each in formats}) == len(formats)
    assert all(each.fields for each in formats)


def test_no_fixture_is_taken_for_another_format() -> None:
    files = [path for path in FIXTURES.glob("*.json") if path.name != "java-export.json"]
    for path in files:
        with path.open("rb") as stream:
            shape = shape_of(stream, path.name)
        matching = [each.label for each in JSON_FORMATS[:-1] if each.lists(shape)]
        assert len(matching) == 1, f"{path.name}: {matching}"


def test_a_chosen_format_replaces_the_detection() -> None:
    assert texts(source_of("# Tea\n- a", "tea.md", ImportOptions(Format.TEXT)).entries) == ["# Tea", "- a"]
