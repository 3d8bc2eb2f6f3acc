"""CSV with a header."""

from __future__ import annotations

import pytest

from memories.models import Memory
from memories.transfer.entries import UnreadableFile
from memories.transfer.importer import ImportRun
from oauthserver.models import User
from tests.support.factories import make_user, owner_actor
from tests.support.imports import fixture, problems, records, source_of, texts


@pytest.fixture
def owner(db: None) -> User:
    return make_user("owner")


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


@pytest.mark.parametrize(
    ("cell", "time"),
    [
        ("05.10.2026", "2026-10-05T00:00Z"),
        ("5. 1. 2026", "2026-01-05T00:00Z"),
        ("05.10.2026 14:30", "2026-10-05T14:30Z"),
        ("5.10.2026, 14:30:05", "2026-10-05T14:30:05Z"),
        ("2026-10-05", "2026-10-05T00:00:00Z"),
        ("05/10/2026", "05/10/2026T00:00:00Z"),
        ("Monday", "Monday"),
    ],
)
def test_dates_with_points_are_read_and_dates_of_two_meanings_are_not(cell: str, time: str) -> None:
    (entry,) = source_of(f"text;created\nTea;{cell}\n", "facts.csv").entries
    assert isinstance(entry.value, dict)
    assert entry.value["created_at"] == time


def test_a_date_that_does_not_exist_is_refused_as_it_is(owner: User) -> None:
    run = ImportRun(owner_actor(owner))
    said: list[str] = []
    run.run(
        source_of("text;created\nTea;31.02.2026\n", "facts.csv").entries, lambda *problem: said.append(str(problem))
    )
    assert "created_at" in said[0]
    assert not Memory.objects.exists()


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
