"""Markdown notes, also those of Obsidian, basic-memory and assistants."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.transfer.entries import UnreadableFile
from memories.transfer.markdown import blocks, notes
from memories.transfer.records import parse_record
from tests.support.imports import fixture, left_out, problems, records, source_of, texts


def facts(content: str) -> list[str]:
    return texts(source_of(content, "note.md").entries)


def test_paragraphs_and_list_items_are_facts_and_everything_else_is_left_out() -> None:
    entries = list(fixture("notes").entries)
    assert texts(entries) == [
        "The plot behind the house is 200 square metres and faces south.",
        "The oldest tree is a pear from 1962.",
        "Apples: Boskoop is ripe in October.",
        "Apples: Topaz keeps until March.",
        "Waters with rain water only, see",
    ]
    assert left_out(entries) == ["tasks", "tables", "code", "blocks without a text"]
    assert [entry.place for entry in entries][:2] == ["garden.md: line 9", "garden.md: line 15"]


def test_what_an_assistant_says_around_its_list_is_no_memory() -> None:
    for introduction in ("Here is what I know:\n\n## Family", "Here's a summary:\n\n**Family:**"):
        entries = list(
            source_of(f"{introduction}\n- Iris paints.\n- Iris sings.\n\nIs there anything to correct?", "a.md").entries
        )
        assert texts(entries) == ["Iris paints.", "Iris sings."]
        assert left_out(entries) == ["sentences around the list"]
    assert facts("# Family\n\nIris says:\n\nI paint.\n\nWho paints?") == ["Iris says:", "I paint.", "Who paints?"]


def test_front_matter_headings_and_words_with_a_hash_are_tags() -> None:
    first, second, *_, last = records(fixture("notes").entries)
    assert first["tags"] == ["garden", "outdoors", "soil", "clay"]
    assert second["tags"] == ["garden", "outdoors", "Fruit trees"]
    assert last["tags"] == ["garden", "outdoors", "water", "Fruit trees"]
    assert first["created_at"] == "2024-03-09T00:00:00+00:00"


def test_a_date_as_heading_is_no_tag() -> None:
    (record,) = records(source_of("## 2025-02-03\n\nMet Rui.", "day.md").entries)
    assert "tags" not in record


def test_hidden_folders_such_as_the_trash_of_obsidian_are_not_read() -> None:
    assert not [text for text in texts(fixture("notes").entries) if "wheelbarrow" in text]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "**Bold** and *italic* `code` and [a link](https://example.org).",
            ["Bold and italic code and a link (https://example.org)."],
        ),
        (
            "- The [runbook](https://wiki.example.org/run?id=1#top) is new.",
            ["The runbook (https://wiki.example.org/run?id=1#top) is new."],
        ),
        (
            "See <https://example.org> or [example.org](https://example.org/).",
            ["See https://example.org or example.org."],
        ),
        ("See [the guide](docs/guide.md) or [us](mailto:us@example.org).", ["See the guide or us."]),
        ("## See [the wiki](https://example.org)\n\nIt is new.", ["It is new."]),
        (
            "One line\nand its continuation.\n\nA second paragraph.",
            ["One line\nand its continuation.", "A second paragraph."],
        ),
        ("- In the list.\nBelow the list.\n  Still below.", ["In the list.", "Below the list.\nStill below."]),
        (
            "- An item that goes on\nin the next line.\n  And here.",
            ["An item that goes on\nin the next line.\nAnd here."],
        ),
        ("- Outer:\n  - Inner.\nBelow both.", ["Outer: Inner.", "Below both."]),
        ("1. First\n2. Second", ["First", "Second"]),
        ("- A sentence.\n  - A detail", ["A detail", "A sentence."]),
        ("**Work context**\n\nRepairs clocks.", ["Repairs clocks."]),
        ("What I like:\n\n- tea", ["tea"]),
        ("> [!note] Title\n> Quoted text", ["Title\nQuoted text"]),
        ("Likes #tea in the #morning/early hours #habit", ["Likes tea in the early hours"]),
        ("Costs #1 and a&#b stay.", ["Costs #1 and a&#b stay."]),
        ("A fact. ^block-1", ["A fact."]),
        ("<!-- a comment -->\n\n<b>bold</b> text", ["bold text"]),
        ("Title\n=====\n\nText\n\n---\n\nMore", ["Text", "More"]),
    ],
)
def test_marks_are_removed_and_the_wording_is_kept(content: str, expected: list[str]) -> None:
    assert facts(content) == expected


def test_observations_and_relations_of_basic_memory_have_the_title_of_their_note() -> None:
    entries = list(fixture("basic-memory").entries)
    assert texts(entries) == [
        "Morning Coffee: Uses a moka pot on low heat brewing (learned in Trieste)",
        "Morning Coffee: Takes it without sugar",
        "Morning Coffee made with Moka Pot",
        "Morning Coffee pairs well with rye bread (only fresh)",
    ]
    first = records(entries)[0]
    assert first["tags"] == ["kitchen", "method", "brewing"]
    assert (first["source_provider"], first["created_at"]) == ("basic-memory", "2025-06-01T07:30:00+02:00")
    assert left_out(entries) == ["links without a text"]


def test_the_introduction_of_a_memory_file_is_left_out() -> None:
    introduction = (
        "This file provides guidance to Claude Code (claude.ai/code) when working with code in this repository."
    )
    entries = list(source_of(f"# CLAUDE.md\n\n{introduction}\n\n- Lint: `npm run lint`\n", "CLAUDE.md").entries)
    assert texts(entries) == ["Lint: npm run lint"]
    assert left_out(entries) == ["sentences about the file itself"]


def test_memory_files_of_claude_code() -> None:
    entries = list(fixture("claude-code").entries)
    assert texts(entries) == [
        "See @README.md for the overview.",
        "Use the spelling of British English.",
        "Sails on the IJsselmeer every summer, with two friends.",
    ]
    assert left_out(entries) == ["imports of other files", "code", "lines of an index of files"]
    sailing = records(entries)[-1]
    assert (sailing["source_provider"], sailing["tags"], sailing["session_id"]) == ("claude-code", ["user"], "0c1d2e3f")


def test_memory_files_of_codex_have_properties_for_each_block() -> None:
    first, _, last = records(fixture("codex").entries)
    assert (first["source_provider"], first["tags"]) == ("codex", ["pytest", "database"])
    assert (last["text"], last["tags"]) == ("Docs are wrapped at 120 characters.", ["docs"])


def test_rules_of_cursor_whose_properties_are_no_yaml() -> None:
    rules = records(fixture("cursor").entries)
    assert [rule["text"] for rule in rules] == ["Always answer in English.", "Prefer pure functions over classes."]
    assert {rule["source_provider"] for rule in rules} == {"cursor"}


def test_the_markdown_export_of_mem0() -> None:
    oven, releases = records(fixture("mem0-export.md").entries)
    assert oven["text"] == "The oven script needs the sensor to be connected first."
    assert (oven["tags"], oven["created_at"]) == (["baking", "task_learnings"], "2026-03-01T10:00:00+00:00")
    assert (releases["text"], releases["source_provider"]) == ("Releases are made on Fridays.", "mem0")


@pytest.mark.parametrize("properties", ["tags: [unclosed", "a: &b", "tags: a\ttab", "date: 2024-13-45", "- list"])
def test_properties_that_cannot_be_read_do_not_lose_the_note(properties: str) -> None:
    assert "Likes tea." in facts(f"---\n{properties}\n---\n\nLikes tea.\n")


EXPORTED = "id: 7\nimportance: 0.5\ncapture_mode: explicit\ncreated_at: {0}\nupdated_at: {0}\nlast_confirmed_at: {0}\n"


@pytest.mark.parametrize("time", ["'2026-05-17T14:00:00Z'", "2026-05-17T14:00:00Z", "2026-05-17 14:00:00+00:00"])
def test_a_forgotten_memory_of_an_export_is_not_read_as_a_note(time: str) -> None:
    file = f"---\n{EXPORTED.format(time)}deleted_at: {time}\nforget_reason: It was wrong.\n---\nOne.\n\nTwo.\n"
    (entry,) = source_of(file, "memory-7.md").entries
    record = parse_record(entry.value)
    assert (record.draft.text, record.forget_reason) == ("One.\n\nTwo.", "It was wrong.")
    assert record.deleted_at == datetime(2026, 5, 17, 14, tzinfo=UTC)


def test_a_note_with_only_some_of_these_properties_is_a_note() -> None:
    assert facts("---\nid: 7\ncreated_at: 2026-05-17\ndeleted_at: 2026-05-18\n---\nOne.\n\nTwo.\n") == ["One.", "Two."]


def test_a_file_that_is_too_large_or_not_utf_8_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "MAX_FILE_BYTES", 1000)
    with pytest.raises(UnreadableFile, match="is larger than"):
        facts("x" * 2000)
    with pytest.raises(UnreadableFile, match="not valid UTF-8 at byte 3"):
        list(source_of(b"ab\xe9\n", "note.md").entries)


def test_a_bad_file_of_a_folder_is_reported_and_the_others_are_read() -> None:
    assert problems(fixture("notes").entries) == []


def test_a_long_note_is_read_in_parts_with_the_right_lines_and_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(
        f"## Part {n}\n\nFact {n}.\n\n- outer {n}:\n  - inner {n}\n\n```\n# code {n}\n\n```\n" for n in range(50)
    )
    whole = [(entry.place, entry.value) for entry in source_of(text, "note.md").entries]
    monkeypatch.setattr(blocks, "PART_CHARS", 10)
    assert [(entry.place, entry.value) for entry in source_of(text, "note.md").entries] == whole
    assert len(whole) == 150


def test_a_line_and_code_that_are_too_long_do_not_change_what_follows() -> None:
    content = "Likes tea.\n\n" + "x" * 60_000 + "\n\n```\n" + "- code\n" * 60_000 + "```\n\nLikes rain.\n"
    entries = list(source_of(content, "note.md").entries)
    found = [str(entry.value["text"]) for entry in entries if isinstance(entry.value, dict)]
    assert [len(text) for text in found] == [10, 60_000, 11]
    assert entries[-1].place == "line 60008"
    assert left_out(entries) == ["code"]


def test_of_a_paragraph_that_is_too_long_no_rest_becomes_a_memory() -> None:
    content = "A line of a paragraph.\n" * 3_100 + "\nLikes rain.\n"
    found = [
        str(entry.value["text"]) for entry in source_of(content, "note.md").entries if isinstance(entry.value, dict)
    ]
    assert [len(text) > 16_000 for text in found] == [True, False]
    assert found[-1] == "Likes rain."
