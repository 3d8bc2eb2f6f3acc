"""Lists of memories that were pasted as text."""

from __future__ import annotations

import pytest

from tests.support.imports import fixture, left_out, records, source_of, texts


def test_the_answer_of_an_assistant_to_a_prompt_that_asks_for_all_memories() -> None:
    source = fixture("pasted.txt")
    entries = list(source.entries)
    assert source.format == "pasted list"
    assert records(entries) == [
        {"text": "Wants answers in metric units.", "tags": ["Preferences"], "created_at": "2025-01-14T12:00:00+00:00"},
        {
            "text": "Prefers short answers\nwithout an introduction.",
            "tags": ["Preferences"],
            "created_at": "2024-11-02T12:00:00+00:00",
        },
        {"text": "Plays the viola in an amateur orchestra.", "tags": ["Personal details"]},
        {"text": "Moved to Ghent in April.", "tags": ["Personal details"], "created_at": "2025-05-03T12:00:00+00:00"},
    ]
    assert left_out(entries) == ["sentences around the list"] * 2


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("2025-03-04", "2025-03-04"),
        ("2025-03", "2025-03-01"),
        ("2025/3/4", "2025-03-04"),
        ("4.3.2025", "2025-03-04"),
        ("March 4, 2025", "2025-03-04"),
        ("4 Mar 2025", "2025-03-04"),
        ("2025-03-04 10:20", "2025-03-04"),
        ("unknown", None),
        ("no date available", None),
        ("2025-02-31", None),
    ],
)
def test_the_date_in_brackets_is_the_time_of_the_memory(date: str, day: str | None) -> None:
    first, second = records(source_of(f"[{date}] - Likes tea.\n- **[{date}]**: Likes rain.\n").entries)
    assert (first["text"], second["text"]) == ("Likes tea.", "Likes rain.")
    assert first.get("created_at", "")[:10] == second.get("created_at", "")[:10] == (day or "")


def test_an_item_without_a_date_in_a_list_with_dates_is_a_memory() -> None:
    dated = "- [2025-02-11] - Likes tea.\n- [2025-07-30] - Lives in Graz.\n- [unknown] - Sings.\n"
    text = f"Your memories are these.\n\n{dated}- Has a cat.\n\nThat is all."
    entries = list(source_of(text).entries)
    assert texts(entries) == ["Likes tea.", "Lives in Graz.", "Sings.", "Has a cat."]
    assert "created_at" not in records(entries)[3]
    assert left_out(entries) == ["sentences around the list"] * 2


def test_an_item_after_lines_without_bullets_is_not_a_part_of_the_list() -> None:
    entries = list(
        source_of("[2025-02-11] - Likes tea.\n[2025-07-30] - Lives in Graz.\n\n- Shall I export more?\n").entries
    )
    assert texts(entries) == ["Likes tea.", "Lives in Graz."]


def test_a_list_without_dates_is_read_as_markdown() -> None:
    source = source_of("Here are your saved memories:\n\n1. Likes tea.\n2. Lives in Graz.\n3. Has a cat.\n", "chat.txt")
    assert (source.format, texts(source.entries)) == ("Markdown", ["Likes tea.", "Lives in Graz.", "Has a cat."])


def test_one_line_with_a_date_does_not_make_a_list() -> None:
    assert source_of("[2025-01-01] - started the diary\nIt rained.\nIt snowed.\n").format == "plain text"
