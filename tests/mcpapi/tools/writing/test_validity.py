"""Tests of the arguments that say when a fact is true."""

from __future__ import annotations

import pytest

from memories.models import Memory, PastRecall
from memories.recall_log.past_recalls import pending_recalls
from tests.support.factories import Assistant


def test_validity_is_stored_shown_and_removed(assistant: Assistant) -> None:
    stored = assistant.call(
        "remember", text="Ann works at Acme", valid_from="2019-01-01T00:00:00Z", valid_until="2021-12-31T00:00:00Z"
    )["memory_id"]
    memory = assistant.call("get_memory", id=stored)["memory"]
    assert (memory["valid_from"], memory["valid_until"], memory["is_past"]) == (
        "2019-01-01T00:00:00Z", "2021-12-31T00:00:00Z", True
    )  # fmt: skip
    updated = assistant.call("update_memory", id=stored, valid_from="always", valid_until="never")
    assert set(updated["changed_fields"]) == {"valid_from", "valid_until"}
    assert "valid_until" not in assistant.call("get_memory", id=stored)["memory"]


def test_an_end_before_the_beginning_is_refused_by_name(assistant: Assistant) -> None:
    times = {"valid_from": "2021-01-01T00:00:00Z", "valid_until": "2020-01-01T00:00:00Z"}
    expected = "valid_until: must not be earlier than valid_from."
    assert assistant.error_of("remember", text="Ann works at Acme", **times)["message"] == expected
    stored = assistant.call("remember", text="Ann works at Acme")["memory_id"]
    assert assistant.error_of("update_memory", id=stored, **times)["message"] == expected
    assert not Memory.objects.filter(valid_from__isnull=False).exists()


def test_a_change_of_life_is_recalled_as_of_a_day(assistant: Assistant) -> None:
    old = assistant.call("remember", text="Ann lives in Bern")["memory_id"]
    planned = assistant.call("update_memory", id=old, text="Ann lives in Zurich", since="2024-03-01", dry_run=True)
    assert (planned["message"], planned["memory_id"], planned["ended_id"]) == ("Would update", old, old)
    done = assistant.call("update_memory", id=old, text="Ann lives in Zurich", since="2024-03-01")
    assert (done["ended_id"], done["memory_id"] > old) == (old, True)

    def found(**arguments: str) -> list[str]:
        return [
            match["text"] for match in assistant.call("recall", query="Where does Ann live?", **arguments)["matches"]
        ]

    assert found(as_of="2023-07-01") == ["Ann lives in Bern"]
    assert found(as_of="2024-07-01") == ["Ann lives in Zurich"]
    pending_recalls.flush()
    assert PastRecall.objects.filter(as_of__isnull=False).count() == 2


@pytest.mark.parametrize(
    ("before", "since_then", "question"),
    [
        ("Reads the Kurier at breakfast", "Does a crossword over coffee", "Kurier at breakfast"),
        ("Zahnarzt ist Dr. Huber in Graz", "Jetzt bei Frau Dr. Lang", "Zahnarzt Dr. Huber"),
        ("El gimnasio es el de la calle Mayor", "Entrena en casa", "gimnasio de la calle Mayor"),
    ],
)
@pytest.mark.parametrize("since", ["2024-03-01", "2024-03-01T10:20:30.5Z"])
def test_what_is_true_now_is_recalled_before_what_it_ended(
    assistant: Assistant, before: str, since_then: str, question: str, since: str
) -> None:
    old = assistant.call("remember", text=before)["memory_id"]
    new = assistant.call("update_memory", id=old, text=since_then, since=since)["memory_id"]
    first, second = assistant.call("recall", query=question, precision="all")["matches"]
    assert [(first["id"], first.get("superseded_by")), (second["id"], second["superseded_by"])] == [
        (new, None),
        (old, new),
    ]
    assert second["is_past"]


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("recall", {"query": "x", "as_of": "soon"}, "as_of: "),
        ("recall", {"query": "x", "as_of": "2024-01-01", "include_documents": True}, "include_documents: cannot"),
        ("recall", {"query": "x", "as_of": "1700-01-01T00:00:00Z"}, "as_of: the year must be"),
        ("update_memory", {"id": 1, "importance": 1, "since": "2024-01-01"}, "since: needs text"),
        ("update_memory", {"id": 1, "text": "x", "since": "2024-01-01", "valid_from": "always"}, "valid_from: cannot"),
        ("update_memory", {"id": 1, "text": "x y", "since": "1700-01-01T00:00:00Z"}, "since: the year must be"),
    ],
)
def test_bad_times_are_refused_by_name(
    assistant: Assistant, tool: str, arguments: dict[str, object], message: str
) -> None:
    assistant.call("remember", text="Ann lives in Bern")
    assert assistant.error_of(tool, **arguments)["message"].startswith(message)
