"""Conversations of ChatGPT and Claude: branches, memories, and what the owner chose to keep."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memories.transfer.options import Conversations, ImportOptions
from tests.support.imports import fixture, left_out, problems, records, source_of, texts

ALL = ImportOptions(conversations=Conversations.MESSAGES)


def test_conversations_are_counted_and_left_out_unless_the_owner_chooses_otherwise() -> None:
    source = fixture("claude-conversations.json")
    assert list(source.entries) == []
    (note,) = source.notes.lines()
    assert note.startswith("Conversations are not memories, so they were left out (conversations: 1, messages: 3).")
    assert "what you said about yourself" in note
    assert "about-me" not in note


def test_memories_that_chatgpt_saved_are_imported_in_any_case_but_not_those_of_abandoned_branches() -> None:
    source = fixture("chatgpt-conversations.json")
    assert source.format == "ChatGPT export"
    assert records(source.entries) == [
        {
            "text": "The user lives in Utrecht and has a daughter who starts school in August.",
            "session_id": "6777aa10-1111-8001-9abc-0123456789ab",
            "source_provider": "chatgpt",
            "capture_mode": "inferred",
            "created_at": "2025-01-03T09:00:05+00:00",
        }
    ]


def test_messages_of_the_active_branch_are_quoted_with_session_and_time() -> None:
    entries = list(fixture("chatgpt-conversations.json", Conversations.MESSAGES).entries)
    _, question, answer = records(entries)
    assert question == {
        "text": "User: I moved to Utrecht last month. My daughter starts school in August. "
        "Can you plan the first week?",
        "tags": ["conversation"],
        "session_id": "6777aa10-1111-8001-9abc-0123456789ab",
        "source_provider": "chatgpt",
        "created_at": "2025-01-03T09:00:01.250000+00:00",
    }
    assert answer["text"] == "ChatGPT: Start with the school registration."
    assert left_out(entries) == ["conversations that ChatGPT was told not to remember"]


def test_of_claude_the_branch_that_was_used_last_is_read_without_thoughts_and_tools() -> None:
    assert texts(fixture("claude-conversations.json", Conversations.MESSAGES).entries) == [
        "User: My oven is 40 years old. I bake rye bread every Saturday. Ich esse kein Weizenbrot.",
        "Claude: Try a lower temperature.",
        "User: I own an electric oven.",
    ]


def test_only_statements_of_the_user_about_themselves() -> None:
    entries = list(fixture("claude-conversations.json", Conversations.ABOUT_ME).entries)
    assert texts(entries) == [
        "My oven is 40 years old.",
        "I bake rye bread every Saturday.",
        "Ich esse kein Weizenbrot.",
        "I own an electric oven.",
    ]
    assert {record["session_id"] for record in records(entries)} == {"2f0c1d3e-0000-4000-8000-000000000001"}


def chat(*messages: dict[str, Any], **fields: Any) -> str:
    """Return an export of one conversation of ChatGPT with messages in a row."""
    mapping: dict[str, Any] = {"0": {"id": "0", "parent": None, "message": None, "children": ["1"]}}
    for number, message in enumerate(messages, start=1):
        mapping[str(number)] = {
            "id": str(number),
            "parent": str(number - 1),
            "children": [str(number + 1)] if number < len(messages) else [],
            "message": message,
        }
    return json.dumps([{"title": "t", "mapping": mapping, **fields}])


def said(role: str, *parts: object, **fields: Any) -> dict[str, Any]:
    content = {"content_type": fields.pop("kind", "text"), "parts": list(parts)}
    return {"author": {"role": role, "name": fields.pop("name", None)}, "content": content, **fields}


def test_an_export_without_a_current_node_ends_with_its_newest_leaf() -> None:
    export = json.loads(chat(said("user", "one", create_time=1), said("assistant", "two", create_time=2)))
    mapping = export[0]["mapping"]
    mapping["x"] = {"id": "x", "parent": "1", "children": [], "message": said("assistant", "three", create_time=3)}
    assert texts(source_of(json.dumps(export), options=ALL).entries) == ["User: one", "ChatGPT: three"]


def test_tools_thoughts_files_and_hidden_messages_are_no_messages() -> None:
    export = chat(
        said("system", "You are helpful."),
        said("user", "Look:", {"content_type": "image_asset_pointer"}, kind="multimodal_text"),
        said("assistant", "a thought", kind="thoughts"),
        said("assistant", "search()", recipient="web"),
        said("tool", "a result", name="web"),
        said("user", "secret settings", metadata={"is_visually_hidden_from_conversation": True}),
        said("assistant", "Done."),
    )
    assert texts(source_of(export, options=ALL).entries) == ["User: Look:", "ChatGPT: Done."]


def test_a_memory_that_waits_for_a_confirmation_is_not_stored_in_chatgpt() -> None:
    export = chat(
        said("assistant", "Likes tea.", recipient="bio"),
        said("tool", "Model set context write is pending confirmation by user.", name="bio"),
    )
    assert left_out(source_of(export).entries) == ["memories that ChatGPT did not store"]


@pytest.mark.parametrize("broken", [{"mapping": 7}, {"mapping": {"1": {"parent": "1", "message": {}}}}, 7, None])
def test_a_broken_conversation_fails_alone(broken: Any) -> None:
    good = json.loads(chat(said("user", "Hello there.")))[0]
    entries = list(source_of(json.dumps([good, broken, good]), options=ALL).entries)
    assert texts(entries) == ["User: Hello there."] * 2
    assert len(problems(entries)) == (0 if isinstance(broken, dict) and isinstance(broken["mapping"], dict) else 1)


def test_a_message_that_is_longer_than_a_memory_may_be_is_left_out() -> None:
    entries = list(source_of(chat(said("user", "x" * 20_000)), options=ALL).entries)
    assert left_out(entries) == ["messages of more than 16000 characters"]


def test_the_memory_of_claude() -> None:
    found = records(fixture("claude-memories.json").entries)
    assert [(record["text"], record["tags"], record["capture_mode"]) for record in found] == [
        ("Restores stained glass in a workshop of four people.", ["Work context"], "inferred"),
        ("Cycles to work all year.", ["Personal context"], "inferred"),
        ("Allergic to hazelnuts.", ["Personal context"], "inferred"),
        ("The chapel project ends in June 2026.", ["project"], "inferred"),
        ("Prefers metric units", ["profile", "Profile"], "explicit"),
        ("Works mostly at night", ["profile", "Profile"], "inferred"),
    ]
    assert found[-1]["created_at"] == "2026-01-02T03:04:05+00:00"


def test_the_memory_of_one_account_and_texts_as_lists_of_characters() -> None:
    account = {
        "conversations_memory": "Likes tea.",
        "project_memories": {"p": list("Ends in June.")},
        "memory_files": [],
    }
    source = source_of(json.dumps(account))
    assert (source.format, texts(source.entries)) == ("Claude memory", ["Likes tea.", "Ends in June."])
