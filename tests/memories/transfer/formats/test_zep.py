"""Facts and episodes of Zep and Graphiti."""

from __future__ import annotations

from memories.transfer.options import Conversations
from tests.support.imports import fixture, left_out, records, texts


def test_facts_and_episodes_of_graphiti() -> None:
    entries = list(fixture("graphiti.json").entries)
    port, shipyard, crane = records(entries)
    assert (port["valid_from"], port["tags"]) == ("2023-09-01T00:00:00+00:00", ["works at"])
    assert (shipyard["deleted_at"], shipyard["valid_until"]) == (
        "2025-05-02T00:00:00+00:00",
        "2023-09-01T00:00:00+00:00",
    )
    assert (crane["text"], crane["created_at"]) == (
        "Tomas repaired the harbour crane on his own.",
        "2025-04-30T00:00:00+00:00",
    )
    assert left_out(entries) == ["an episode that is JSON"]


def test_messages_among_episodes_are_a_conversation() -> None:
    source = fixture("graphiti.json")
    list(source.entries)
    assert (source.notes.conversations, source.notes.messages) == (1, 1)
    assert "I have two brothers in Gdansk." in texts(fixture("graphiti.json", Conversations.ABOUT_ME).entries)
