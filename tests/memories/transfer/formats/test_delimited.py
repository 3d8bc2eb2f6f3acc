"""CSV with a header."""

from __future__ import annotations

import pytest

from memories.transfer.entries import UnreadableFile
from tests.support.imports import fixture, problems, records, source_of, texts


def test_columns_become_fields_and_the_header_is_no_fact() -> None:
    source = fixture("facts.csv")
    entries = list(source.entries)
    assert source.format == "CSV"
    assert records(entries) == [
        {
            "text": "Keeps two hives of bees behind the shed",
            "tags": ["garden", "bees"],
            "created_at": "2024-05-02T00:00:00Z",
            "importance": 0.8,
        },
        {"text": 'Says "good morning" to the neighbours; always in Dutch', "tags": ["language", "home"]},
        {"text": "Repairs clocks on Sundays", "created_at": "2023-11-26T09:30:00+01:00", "importance": 0.4},
    ]
    assert entries[0].ignored == {"mood"}
    assert entries[0].place == "line 2"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_detected(separator: str) -> None:
    assert records(source_of(f"id{separator}Content\n7{separator}Likes tea.\n").entries) == [{"text": "Likes tea."}]


def test_a_file_with_a_single_column_is_csv_if_its_first_line_is_a_name() -> None:
    assert texts(source_of("text\nLikes tea.\n").entries) == ["Likes tea."]
    assert texts(source_of("Text me before you come, always.\nLikes tea.\n").entries)[0].startswith("Text me")


def test_a_text_may_have_several_lines() -> None:
    entries = list(source_of('text,tags\n"Likes tea,\nand rain.",a\nLikes fog.,\n').entries)
    assert texts(entries) == ["Likes tea,\nand rain.", "Likes fog."]
    assert [entry.place for entry in entries] == ["line 2", "line 4"]


def test_a_bad_row_fails_alone() -> None:
    content = b'text,tags\nLikes tea, but not green,a\nLikes caf\xe9,b\n"' + b"x" * 140_000 + b'",\nLikes rain.,\n'
    entries = list(source_of(content).entries)
    assert texts(entries) == ["Likes rain."]
    assert [place for place, _ in problems(entries)] == ["line 2", "line 3", "line 4"]
    assert "it has 3 cells; the header has 2" in problems(entries)[0][1]
    assert problems(entries)[1][1] == "it is not valid UTF-8. Save the file as UTF-8."
    assert "field larger than field limit" in problems(entries)[2][1]


def test_a_row_with_a_number_that_is_none_is_left_to_the_validation() -> None:
    with pytest.raises(Exception, match="importance: must be a number"):
        records(source_of("text,importance\nLikes tea.,high\n").entries)


def test_a_file_without_a_column_of_texts_names_the_columns_that_it_has() -> None:
    with pytest.raises(UnreadableFile, match=r"no column with texts.*must be text or content or memory.*name, age"):
        list(source_of("Name,Age\nAda,36\n", "people.csv").entries)
