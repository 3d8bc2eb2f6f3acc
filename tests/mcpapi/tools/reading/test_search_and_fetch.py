"""Tests of `search` and `fetch` in the form that ChatGPT reads, and of the unlisted `memory.search`."""

from __future__ import annotations

import json
import uuid

import pytest

from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.documents.support import make_document
from tests.support.factories import Assistant, actor_for, make_memory, make_user

MOCHI = "My dog is called Mochi"


def test_search_and_fetch_answer_as_chatgpt_reads_them(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, MOCHI, tags=("pets", "family"), source_provider="Claude")
    url = f"http://127.0.0.1:8000/admin/memories/memory/{memory.pk}/change/"
    found = assistant.call("search", query="What is my dog called?")
    assert found == {"ok": True, "results": [{"id": str(memory.pk), "title": MOCHI, "url": url}]}
    created, confirmed = (
        moment.isoformat().replace("+00:00", "Z") for moment in (memory.created_at, memory.last_confirmed_at)
    )
    assert assistant.call("fetch", id=found["results"][0]["id"]) == {
        "ok": True,
        "id": str(memory.pk),
        "title": MOCHI,
        "text": MOCHI,
        "url": url,
        "metadata": {
            "tags": "pets, family",
            "importance": "0.5",
            "source_provider": "Claude",
            "capture_mode": "explicit",
            "created_at": created,
            "last_confirmed_at": confirmed,
        },
    }


def test_the_one_text_of_the_answer_is_the_json_that_chatgpt_parses(assistant: Assistant, owner: User) -> None:
    make_memory(owner, MOCHI)
    result = assistant.result("tools/call", name="search", arguments={"query": "dog"})
    (block,) = result["content"]
    assert json.loads(block["text"])["results"][0]["title"] == MOCHI


def test_a_long_text_is_shortened_in_its_title_only(assistant: Assistant, owner: User) -> None:
    text = "My dog\n" + "barks " * 100
    memory = make_memory(owner, text)
    document = assistant.call("fetch", id=str(memory.pk))
    assert document["title"].startswith("My dog barks")
    assert len(document["title"]) <= 80
    assert document["text"] == text.strip()


@pytest.mark.parametrize("bad", ["", "x", "0", "01", "-1", "1.0", "\x00", "٣", "9" * 40])
def test_what_is_no_id_is_refused(assistant: Assistant, bad: str) -> None:
    error = assistant.error_of("fetch", id=bad)
    assert error["code"] == "INVALID_INPUT"
    assert error["message"].startswith("id:")


def test_only_memories_in_force_of_ones_own_are_fetched(assistant: Assistant, owner: User) -> None:
    forgotten = make_memory(owner, MOCHI)
    forget_memory(actor_for(owner), forgotten.pk)
    for memory_id in (forgotten.pk, make_memory(make_user(), MOCHI).pk, 10**9):
        assert assistant.error_of("fetch", id=str(memory_id))["code"] == "NOT_FOUND"
    assert assistant.call("search", query=MOCHI)["results"] == []


def test_memory_search_is_answered_and_never_listed(assistant: Assistant, owner: User) -> None:
    said = make_memory(owner, MOCHI)
    concluded = make_memory(owner, "The dog likes long walks", capture_mode="inferred")
    names = [tool["name"] for tool in assistant.result("tools/list")["tools"]]
    assert "memory.search" not in names
    for scope, ids in (("user", {said.pk}), ("agent", {concluded.pk}), ("all", {said.pk, concluded.pk})):
        matches = assistant.call("memory.search", query="dog", scope=scope, limit=100)["matches"]
        assert {match["id"] for match in matches} == ids
    assert len(assistant.call("memory.search", query="dog", limit=1)["matches"]) == 1


@pytest.mark.parametrize(("name", "value"), [("limit", 0), ("limit", 101), ("scope", "world"), ("query", None)])
def test_memory_search_names_a_wrong_argument(assistant: Assistant, name: str, value: object) -> None:
    error = assistant.error_of("memory.search", **{"query": "dog", name: value})
    assert error["code"] == "INVALID_INPUT"
    assert error["message"].startswith(f"{name}:")


def test_memory_search_shows_a_limited_app_its_tags_only(owner: User) -> None:
    make_memory(owner, MOCHI, tags=("pets",))
    limited = Assistant.of(owner, tags=("work",))
    assert limited.call("memory.search", query=MOCHI)["matches"] == []


def test_documents_are_found_beside_memories_and_fetched(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "The oil of the car is changed in May")
    document = make_document(owner)
    url = f"http://127.0.0.1:8000/admin/documents/document/{document.pk}/change/"
    found = assistant.call("search", query="when is the oil changed")["results"]
    assert {hit["id"]: hit["url"] for hit in found}[str(document.pk)] == url
    assert str(memory.pk) in {hit["id"] for hit in found}
    fetched = assistant.call("fetch", id=str(document.pk))
    assert document.current is not None
    assert (fetched["title"], fetched["text"]) == (document.title, document.current.text)
    assert fetched["metadata"]["source"] == "documents"
    assert assistant.error_of("fetch", id=str(uuid.uuid4()))["code"] == "NOT_FOUND"
