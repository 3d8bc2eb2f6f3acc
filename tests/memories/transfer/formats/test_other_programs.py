"""Memories of other programs as JSON: what becomes of their fields, and of what they mark as not valid any more."""

from __future__ import annotations

import json

import pytest

from memories.transfer.options import Format, ImportOptions
from tests.support.imports import FIXTURES, fixture, left_out, problems, records, source_of, texts


def test_an_export_of_mcp_memory_service() -> None:
    source = fixture("mcp-memory-service.json")
    entries = list(source.entries)
    assert (source.format, source.total) == ("mcp-memory-service", 3)
    assert records(entries) == [
        {
            "text": "The boiler is serviced every October.",
            "tags": ["house", "heating", "reminder"],
            "importance": 0.9,
            "session_id": "e-7",
            "source_provider": "mcp-memory-service",
            "created_at": "2023-08-21T16:00:00+00:00",
        },
        {
            "text": "The boiler is serviced every September.",
            "tags": ["house"],
            "source_provider": "mcp-memory-service",
            "created_at": "2023-08-21T15:58:20.500000+00:00",
            "deleted_at": "2023-08-21T17:46:40+00:00",
            "forget_reason": "Replaced by a newer version in mcp-memory-service.",
        },
    ]
    assert problems(entries) == [("item 3", "created_at: must be an ISO 8601 time or a Unix time.")]


def test_the_knowledge_graph_of_the_reference_server() -> None:
    source = fixture("knowledge-graph.jsonl")
    assert source.format == "knowledge graph"
    assert records(source.entries) == [
        {"text": "Jana Novak: Speaks fluent Czech", "tags": ["person"], "source_provider": "knowledge-graph"},
        {"text": "Jana Novak: Prefers morning meetings", "tags": ["person"], "source_provider": "knowledge-graph"},
        {"text": "Lantern is written in Rust", "tags": ["project"], "source_provider": "knowledge-graph"},
        {"text": "Jana Novak works on Lantern", "source_provider": "knowledge-graph"},
    ]


def test_the_result_of_read_graph_is_the_same_graph() -> None:
    lines = [json.loads(line) for line in (fixture_text("knowledge-graph.jsonl")).splitlines()]
    document = {"entities": lines[:2], "relations": lines[2:]}
    assert texts(source_of(json.dumps(document)).entries) == texts(fixture("knowledge-graph.jsonl").entries)


def test_a_bad_line_of_a_graph_fails_alone() -> None:
    good = '{"type":"relation","from":"a","to":"b","relationType":"knows"}'
    bad = '{"type":"relation","from":"a","relationType":"knows"}\n{"type":"entity","name":"x"}\n7\n{"type":'
    entries = list(source_of(f"{good}\n{bad}\n{good}").entries)
    assert texts(entries) == ["a knows b", "a knows b"]
    assert [place for place, _ in problems(entries)] == ["line 2", "line 3", "line 4", "line 5"]


def test_results_of_mem0() -> None:
    source = fixture("mem0.json")
    entries = list(source.entries)
    sport, diet, squash = records(entries)
    assert source.format == "mem0"
    assert sport == {
        "text": "Loves playing badminton on Tuesdays",
        "tags": ["hobbies", "health", "sport"],
        "session_id": "run-4",
        "source_provider": "mem0",
        "created_at": "2024-10-15T21:52:11.474901-07:00",
        "last_confirmed_at": "2024-11-01T08:00:00-07:00",
    }
    assert diet["expires_at"] == "2024-03-01T00:00:00+00:00"
    assert (squash["deleted_at"], "newer memory" in squash["forget_reason"]) == ("2024-10-15T00:00:00+00:00", True)
    assert entries[0].ignored == {"structured_attributes", "metadata.place"}


@pytest.mark.parametrize(
    ("metadata", "tags", "ignored"),
    [
        ({"category": ["sport", "club"], "tags": "hall, indoor"}, ["sport", "club", "hall", "indoor"], set()),
        ({"place": "hall", "level": 3, "note": ""}, [], {"metadata.place", "metadata.level"}),
        ("free text", [], {"metadata"}),
        ({}, [], set()),
    ],
)
def test_metadata_of_mem0_is_tags_or_named_as_left_out(metadata: object, tags: list[str], ignored: set[str]) -> None:
    memory = {"id": "1", "memory": "Plays squash", "user_id": "mira", "metadata": metadata}
    (entry,) = source_of(json.dumps({"results": [memory]})).entries
    (record,) = records([entry])
    assert record.get("tags", []) == tags
    assert entry.ignored == ignored


def test_metadata_of_other_programs_is_named_as_left_out() -> None:
    supermemory = [{"memory": "Likes tea", "isLatest": True, "metadata": {"tags": ["drinks"], "shelf": 2}}]
    service = [{"content": "Likes tea", "content_hash": "a", "metadata": {"quality_score": 0.7, "shelf": 2}}]
    for document in (supermemory, service):
        (entry,) = source_of(json.dumps({"memories": document})).entries
        assert entry.ignored == {"metadata.shelf"}


def test_memories_of_supermemory() -> None:
    source = fixture("supermemory.json")
    rows, bern, lake, guest = records(source.entries)
    assert source.format == "Supermemory"
    assert (rows["capture_mode"], rows["tags"], rows["text"]) == (
        "inferred",
        ["sport"],
        "Rows on the river before work",
    )
    assert (bern["deleted_at"], bern["forget_reason"]) == ("2025-03-01T00:00:00+00:00", "moved away")
    assert (lake["deleted_at"], "newer version" in lake["forget_reason"]) == ("2025-01-15T10:30:00+00:00", True)
    assert guest["expires_at"] == "2025-04-06T22:00:00+00:00"


def test_documents_of_supermemory_are_no_memories_but_their_entries_are() -> None:
    documents = [
        {
            "id": "d1",
            "title": "A page",
            "createdAt": "2025-01-01T00:00:00Z",
            "containerTags": ["x"],
            "memoryEntries": [],
        },
        {
            "id": "d2",
            "createdAt": "2025-01-01T00:00:00Z",
            "memoryEntries": [{"memory": "Likes tea", "isLatest": True}, 3],
        },
    ]
    entries = list(source_of(json.dumps({"documents": documents, "pagination": {}})).entries)
    assert texts(entries) == ["Likes tea"]
    assert left_out(entries) == ["a document without memories"]
    assert len(problems(entries)) == 1


def test_the_export_of_the_java_edition_has_our_own_fields() -> None:
    source = fixture("java-export.json")
    active, forgotten = records(source.entries)
    assert source.format == "JSON"
    assert (active["id"], active["session_id"]) == (4, "s-1")
    assert (forgotten["replaced_by_id"], forgotten["deleted_at"]) == (4, "2025-11-01T00:00:00Z")


def test_the_dump_of_the_java_edition() -> None:
    source = fixture("java-dump.sql")
    logbook, dinghy = records(source.entries)
    assert logbook == {
        "id": 7,
        "text": "Keeps a logbook\nof every sailing trip.",
        "tags": ["sailing", "open water"],
        "importance": 0.8,
        "source_provider": "claude",
        "session_id": "conv-9",
        "capture_mode": "inferred",
        "created_at": "2026-02-01T08:30:00.5+00",
        "last_confirmed_at": "2026-03-01T00:00:00+01",
        "expires_at": "2999-01-01T00:00:00+00",
    }
    assert (dinghy["deleted_at"], dinghy["forget_reason"], dinghy["replaced_by_id"]) == (
        "2026-02-01T08:31:00+00",
        "sold it",
        7,
    )


def test_a_truncated_dump_and_one_of_another_program_are_refused() -> None:
    dump = fixture_text("java-dump.sql")
    with pytest.raises(Exception, match="is truncated"):
        list(source_of(dump.partition("\\.")[0], "dump.sql").entries)
    with pytest.raises(Exception, match="no table memories"):
        list(source_of(dump.replace("public.memories", "public.people"), "dump.sql").entries)


def test_a_bad_row_of_a_dump_fails_alone() -> None:
    entries = list(source_of(fixture_text("java-dump.sql").replace("\n6\tdefault", "\ndefault")).entries)
    assert len(texts(entries)) == 1
    assert problems(entries) == [("line 13", "it has 20 columns instead of 21.")]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("mem0.json", "mem0"),
        ("supermemory.json", "Supermemory"),
        ("mcp-memory-service.json", "mcp-memory-service"),
    ],
)
def test_json_lines_of_a_program_are_recognized_as_well(name: str, label: str) -> None:
    document = json.loads(fixture_text(name))
    (items,) = (value for value in document.values() if isinstance(value, list))
    source = source_of("\n".join(json.dumps(item) for item in items), "export.jsonl")
    assert source.format == label
    assert texts(source.entries) == texts(fixture(name).entries)


def test_a_chosen_format_that_does_not_fit_is_refused() -> None:
    with pytest.raises(Exception, match="is not in the format knowledge-graph"):
        source_of(fixture_text("mem0.json"), "file", ImportOptions(Format.KNOWLEDGE_GRAPH))


def fixture_text(name: str) -> str:
    return (FIXTURES / name).read_text(encoding="utf-8")
