"""Tests of the length of a recall: budgets, passages and whole texts."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from memories.embeddings.tokens import count_tokens
from memories.models import Memory, PastRecall
from memories.recall_log.past_recalls import pending_recalls
from oauthserver.models import User
from tests.support.embeddings.embedders import use_windows
from tests.support.factories import Assistant, make_memory

TEXT = "The boat was sold in spring. Mochi the dog likes carrots and peas. The fence needs new paint."
ANSWER = "Mochi the dog likes carrots and peas."
QUESTION = "what does the dog Mochi like, carrots?"
RECALLS = ["recall", "search_memory", "memory.search"]


def tokens_of(payload: dict[str, Any]) -> int:
    return sum(count_tokens(orjson.dumps(match).decode()) for match in payload["matches"])


@pytest.fixture
def long(owner: User, monkeypatch: pytest.MonkeyPatch) -> Memory:
    use_windows(monkeypatch, 60)
    return make_memory(owner, TEXT)


@pytest.mark.parametrize("name", RECALLS)
def test_a_long_match_comes_as_its_passage(assistant: Assistant, owner: User, long: Memory, name: str) -> None:
    make_memory(owner, "Mochi barks")
    found, short = assistant.call(name, query=QUESTION)["matches"]
    assert (found["text"], found["text_chars"]) == (ANSWER, len(TEXT))
    assert found["passage"] == {"start": 29, "end": 66}
    assert assistant.call("get_memory", id=found["id"])["memory"]["text"] == TEXT
    assert short["text"] == "Mochi barks"
    assert not {"passage", "text_chars"} & set(short)


@pytest.mark.parametrize("name", RECALLS)
def test_the_whole_text_comes_on_request(assistant: Assistant, long: Memory, name: str) -> None:
    (found,) = assistant.call(name, query=QUESTION, full_text=True)["matches"]
    assert (found["text"], found["passage"]) == (TEXT, {"start": 29, "end": 66})
    assert "text_chars" not in found


@pytest.mark.parametrize("name", RECALLS)
def test_a_budget_limits_the_tokens_of_the_matches(assistant: Assistant, owner: User, name: str) -> None:
    for number in range(6):
        make_memory(owner, f"Mochi the dog likes carrots, peas and toy {number}")
    whole = assistant.call(name, query=QUESTION)
    assert "notice" not in whole
    budget = tokens_of({"matches": whole["matches"][:4]}) + 5
    some = assistant.call(name, query=QUESTION, max_tokens=budget)
    assert some["matches"] == whole["matches"][:4]
    assert some["notice"] == f"2 more matches did not fit into max_tokens={budget}."
    assert tokens_of(some) == budget - 5
    assert assistant.call(name, query=QUESTION, max_tokens=1_000_000) == whole


def test_a_text_that_does_not_fit_comes_as_its_passage(assistant: Assistant, long: Memory) -> None:
    needed = tokens_of(assistant.call("recall", query=QUESTION, full_text=True))
    payload = assistant.call("recall", query=QUESTION, full_text=True, max_tokens=needed - 1)
    (found,) = payload["matches"]
    assert (found["text"], found["text_chars"]) == (ANSWER, len(TEXT))
    assert payload["notice"] == f"1 match was shortened to fit into max_tokens={needed - 1}."


@pytest.mark.parametrize("name", RECALLS)
def test_a_budget_of_one_returns_no_match_and_says_so(assistant: Assistant, owner: User, name: str) -> None:
    make_memory(owner, "Mochi barks")
    payload = assistant.call(name, query="Mochi", max_tokens=1)
    assert (payload["matches"], payload["notice"]) == ([], "1 match was found, but nothing fits into max_tokens=1.")


@pytest.mark.parametrize("name", RECALLS)
@pytest.mark.parametrize(
    "texts",
    [
        ("Mochi likes peas", "Mochi sleeps on the sofa", "The vet of Mochi is in Graz"),
        ("Mochi mag Erbsen", "Mochi schläft auf dem Sofa", "Die Tierärztin von Mochi ist in Graz"),
        ("A Mochi gosta de ervilhas", "A Mochi dorme no sofá", "A veterinária da Mochi é em Graz"),
    ],
)
def test_a_small_budget_returns_compact_matches(
    assistant: Assistant, owner: User, name: str, texts: tuple[str, ...]
) -> None:
    for text in texts:
        make_memory(owner, text, tags=["pets"], session_id="0199", source_provider="app")
    whole = assistant.call(name, query="Mochi")
    payload = assistant.call(name, query="Mochi", max_tokens=150)
    assert payload["matches"] == [
        {key: match[key] for key in ("id", "text", "relevance")} for match in whole["matches"]
    ]
    assert payload["notice"] == "3 matches are compact to fit into max_tokens=150."
    assert tokens_of(payload) <= 150


def test_a_compact_match_of_a_short_text_takes_at_most_150_bytes(assistant: Assistant, owner: User) -> None:
    text = "Mochi likes peas"
    make_memory(owner, text, tags=["pets"])
    (whole,) = assistant.call("recall", query=text)["matches"]
    payload = assistant.call("recall", query=text, compact=True)
    (match,) = payload["matches"]
    assert match == {key: whole[key] for key in ("id", "text", "relevance")}
    assert len(text) == 16
    # An id may have 19 digits.
    assert len(orjson.dumps({**match, "id": 2**63 - 1})) <= 150
    assert "notice" not in payload


def test_a_compact_match_says_what_a_reader_must_not_miss(assistant: Assistant, long: Memory) -> None:
    old = assistant.call("remember", text="Mochi the dog likes carrots", valid_until="2020-01-01")["memory_id"]
    (shown, found) = sorted(
        assistant.call("recall", query=QUESTION, compact=True)["matches"], key=lambda match: match["id"] != old
    )
    assert shown["is_past"]
    assert (found["text"], found["text_chars"]) == (ANSWER, len(TEXT))
    assert "passage" not in found
    (explained, _) = assistant.call("recall", query=QUESTION, compact=True, explain=True)["matches"]
    assert explained["explanation"]


def test_a_compact_match_with_a_relative_date_says_when_that_was_said(assistant: Assistant) -> None:
    assistant.call("remember", text="Theo lost his first front tooth yesterday.")
    assistant.call("remember", text="Theo lost his blue glove on 3 June 2026.")
    matches = assistant.call("recall", query="What has Theo lost?", compact=True)["matches"]
    assert {"created_at" in match for match in matches if "tooth" in match["text"]} == {True}
    assert {"created_at" in match for match in matches if "glove" in match["text"]} == {False}


def test_compact_matches_that_contradict_each_other_say_when_they_were_confirmed(assistant: Assistant) -> None:
    for day in ("Monday", "Friday"):
        assistant.call("remember", text=f"The paper bin is emptied on {day} mornings", dedup_policy="insert")
    matches = assistant.call("recall", query="When is the paper bin emptied?", compact=True)["matches"]
    assert [match["conflicts_with"] for match in matches] == [[matches[1]["id"]], [matches[0]["id"]]]
    assert matches[0]["last_confirmed_at"] > matches[1]["last_confirmed_at"]


@pytest.mark.parametrize("name", [*RECALLS, "build_context_prompt"])
@pytest.mark.parametrize("max_tokens", [0, -1, 1_000_001, 2**63])
def test_an_impossible_budget_names_the_argument(assistant: Assistant, name: str, max_tokens: int) -> None:
    question = {"user_prompt" if name == "build_context_prompt" else "query": "Mochi"}
    error = assistant.error_of(name, max_tokens=max_tokens, **question)
    assert error == {"code": "INVALID_INPUT", "message": "max_tokens: must be a whole number from 1 to 1000000."}


def test_only_memories_that_are_shown_are_recorded(assistant: Assistant, owner: User) -> None:
    ids = [make_memory(owner, f"Mochi the dog likes carrots, peas and toy {number}").pk for number in range(4)]
    budget = tokens_of(assistant.call("recall", query=QUESTION)) // 2
    shown = assistant.call("recall", query=QUESTION, max_tokens=budget)["matches"]
    assert 0 < len(shown) < len(ids)
    pending_recalls.flush()
    assert [match["id"] for match in PastRecall.objects.latest("pk").matches] == [match["id"] for match in shown]


def test_a_context_prompt_has_the_facts_that_fit(assistant: Assistant, owner: User, long: Memory) -> None:
    make_memory(owner, "Mochi barks")
    whole = assistant.call("build_context_prompt", user_prompt=QUESTION, max_tokens=1_000_000)
    assert "notice" not in whole
    assert TEXT in whole["prompt"]
    budget = count_tokens(ANSWER)
    some = assistant.call("build_context_prompt", user_prompt=QUESTION, max_tokens=budget)
    assert f"\n\n{ANSWER}\n\n-----------------\n\n" in some["prompt"]
    assert some["notice"] == (
        f"1 match was shortened to fit into max_tokens={budget}. 1 more match did not fit into max_tokens={budget}."
    )
    none = assistant.call("build_context_prompt", user_prompt=QUESTION, max_tokens=1)
    assert "\n\nNo relevant previously known facts were found.\n\n" in none["prompt"]
    assert none["notice"] == "2 matches were found, but nothing fits into max_tokens=1."
