"""Tests of the tools for documents."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from documents.models import Document, Version
from memories.tasks import index_pending
from oauthserver.models import Connection, User
from tests.documents.support import BOAT, make_document
from tests.support.factories import Assistant, make_app, make_memory, make_user

pytestmark = pytest.mark.django_db

UNKNOWN = str(uuid.UUID(int=7, version=4))


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def assistant(owner: User) -> Assistant:
    return Assistant.of(owner)


def test_a_text_is_added_and_its_passage_found_with_title_and_heading(assistant: Assistant) -> None:
    document_id = assistant.call("add_document", text=BOAT, tags=["sailing"])["document_id"]
    index_pending()
    payload = assistant.call("search_documents", query="when is the engine oil changed")
    best = payload["results"][0]
    assert best["id"] == document_id
    assert (best["title"], best["heading"], best["page"]) == ("Ragnhild", "Ragnhild › Engine", None)
    assert best["snippet"].startswith("Change the oil")
    assert best["uri"] == f"ownsona://documents/{document_id}"
    assert 0 < best["score"] <= 1
    assert 0 <= payload["confidence"] <= 1


def test_the_title_is_the_given_one_or_the_first_heading_or_that_of_the_front_matter(assistant: Assistant) -> None:
    for arguments in (
        {"text": "# Heading\n\nText.", "title": "Given"},
        {"text": "# Heading\n\nOther text."},
        {"text": "---\ntitle: Front\n---\n\nText."},
    ):
        assistant.call("add_document", **arguments)
    titles = [document["title"] for document in assistant.call("list_documents")["documents"]]
    assert titles == ["Front", "Heading", "Given"]


def test_an_equal_text_is_there_already(assistant: Assistant) -> None:
    first = assistant.call("add_document", text=BOAT)
    second = assistant.call("add_document", text=BOAT)
    assert (first["message"], second["message"]) == ("Added", "Already there")
    assert first["document_id"] == second["document_id"]


def test_a_text_with_a_known_address_is_a_new_version(assistant: Assistant) -> None:
    url = "https://example.com/boat"
    first = assistant.call("add_document", text=BOAT, source_url=url)["document_id"]
    assert assistant.call("add_document", text="# Ragnhild\n\nSold.", source_url=url)["document_id"] == first
    assert Version.objects.count() == 2
    assert assistant.call("get_document", id=first)["body"].endswith("Sold.")


def test_a_secret_is_replaced_and_named(assistant: Assistant) -> None:
    key = "ghp_" + "a1" * 18
    payload = assistant.call("add_document", text=f"# Server\n\nThe token is {key}. It is in Lyngby.")
    assert payload["notice"] == "Replaced by placeholders: a GitHub token."
    assert key not in str(assistant.call("get_document", id=payload["document_id"]))
    assert key not in str(assistant.call("search_documents", query="token server Lyngby"))


@pytest.mark.parametrize(
    ("arguments", "code", "argument"),
    [
        ({"text": "  "}, "INVALID_INPUT", "text"),
        ({"text": "a\x00b"}, "INVALID_INPUT", "text"),
        ({"text": "x" * 1_000_001}, "LIMIT_EXCEEDED", "text"),
        ({"text": "x", "source_url": "file:///etc/passwd"}, "INVALID_INPUT", "source_url"),
        ({"text": "x", "title": "t" * 501}, "INVALID_INPUT", "title"),
    ],
)
def test_what_cannot_be_added_is_named_and_nothing_is_stored(
    assistant: Assistant, arguments: dict[str, str], code: str, argument: str
) -> None:
    error = assistant.error_of("add_document", **arguments)
    assert error["code"] == code
    assert error["message"].startswith(f"{argument}: ")
    assert not Document.objects.exists()


def test_a_document_is_read_part_by_part(assistant: Assistant, owner: User) -> None:
    document = make_document(owner, "".join(f"Line {number}.\n\n" for number in range(300)))
    assert document.current is not None
    parts, chunks, cursor = [], [], None
    while True:
        payload = assistant.call("get_document", id=str(document.pk), max_chars=500, cursor=cursor)
        parts.append(payload["body"])
        chunks += [chunk["index"] for chunk in payload["chunks"]]
        cursor = payload.get("next_cursor")
        if cursor is None:
            break
    assert "".join(parts) == document.current.text
    assert chunks == list(range(document.chunks.count()))
    assert payload["total_chars"] == len(document.current.text)


def test_a_cursor_is_of_one_version(assistant: Assistant) -> None:
    url = "https://example.com/boat"
    document_id = assistant.call("add_document", text=BOAT, source_url=url)["document_id"]
    cursor = assistant.call("get_document", id=document_id, max_chars=10)["next_cursor"]
    assistant.call("add_document", text=BOAT + "More.", source_url=url)
    assert "has changed" in assistant.error_of("get_document", id=document_id, cursor=cursor)["message"]
    for forged in ("x", "1-", "-5", "1-9999999999"):
        assert assistant.error_of("get_document", id=document_id, cursor=forged)["code"] == "INVALID_INPUT"


def test_a_position_after_the_end_is_an_empty_part(assistant: Assistant) -> None:
    document_id = assistant.call("add_document", text="short")["document_id"]
    payload = assistant.call("get_document", id=document_id, cursor="1-999")
    assert (payload["body"], payload["chunks"], payload.get("next_cursor")) == ("", [], None)


def test_a_budget_of_tokens_limits_the_passages(assistant: Assistant, owner: User) -> None:
    for number in range(5):
        make_document(owner, f"# Boat {number}\n\n" + "The boat sails fast. " * 10)
    assert len(assistant.call("search_documents", query="boat sails")["results"]) == 5
    payload = assistant.call("search_documents", query="boat sails", max_tokens=120)
    assert 1 <= len(payload["results"]) < 5
    assert "did not fit into max_tokens" in payload["notice"]


def test_a_passage_that_does_not_fit_is_shortened(assistant: Assistant, owner: User) -> None:
    make_document(owner, "# Boat\n\n" + "The boat sails fast. " * 30)
    (whole,) = assistant.call("search_documents", query="boat sails")["results"]
    payload = assistant.call("search_documents", query="boat sails", max_tokens=60)
    (found,) = payload["results"]
    assert found["snippet"].endswith("The boat sails fast.")
    assert whole["snippet"].startswith(found["snippet"])
    assert found["id"] == whole["id"]
    assert payload["notice"] == (
        "The best passage was shortened to fit into max_tokens: get_document returns the rest."
    )
    none = assistant.call("search_documents", query="boat sails", max_tokens=2)
    assert (none["results"], none["notice"]) == ([], "1 more did not fit into max_tokens.")


def test_nothing_found_is_said(assistant: Assistant) -> None:
    payload = assistant.call("search_documents", query="anything")
    assert payload["results"] == []
    assert payload["notice"] == "No document says anything about this."


def test_a_document_is_forgotten_and_hard_deleted(assistant: Assistant, owner: User) -> None:
    document = make_document(owner)
    dry = assistant.call("forget_document", id=str(document.pk), dry_run=True)
    assert (dry["message"], dry["dry_run"]) == ("Would be forgotten", True)
    assert assistant.call("search_documents", query="oil")["results"]
    assert assistant.call("forget_document", id=str(document.pk))["message"] == "Forgotten"
    assert assistant.call("search_documents", query="oil")["results"] == []
    assert assistant.error_of("get_document", id=str(document.pk))["code"] == "NOT_FOUND"
    again = assistant.call("forget_document", id=str(document.pk))
    assert again["already_deleted"] is True
    assert assistant.call("forget_document", id=str(document.pk), hard_delete=True)["message"] == "Hard deleted"
    assert not Document.objects.exists()


def test_hard_deleting_needs_the_scope_for_it(owner: User) -> None:
    document = make_document(owner)
    assistant = Assistant.of(owner, "memory:read memory:write")
    response = assistant.request(
        "tools/call", {"name": "forget_document", "arguments": {"id": str(document.pk), "hard_delete": True}}
    )
    assert response.status_code == 403
    assert Document.objects.exists()


@pytest.mark.parametrize("tool", ["get_document", "forget_document"])
def test_an_unknown_document_is_not_found(assistant: Assistant, tool: str) -> None:
    assert assistant.error_of(tool, id=UNKNOWN)["code"] == "NOT_FOUND"
    assert assistant.error_of(tool, id="12")["code"] == "INVALID_INPUT"


def test_a_document_of_a_quarantined_app_awaits_review(owner: User) -> None:
    app = make_app()
    assistant = Assistant.of(owner, app=app)
    Connection.objects.filter(application=app).update(quarantine=True)
    payload = assistant.call("add_document", text=BOAT)
    assert payload["message"] == "Awaits review by the user: do not rely on it yet"
    assert assistant.call("search_documents", query="oil")["results"] == []
    assert assistant.call("list_documents")["documents"] == []
    assert Document.objects.get().quarantined_from == app.client_id


def ids(found: list[dict[str, Any]]) -> set[str]:
    return {each["id"] for each in found}


def test_filters_restrict_lists_and_searches(assistant: Assistant, owner: User) -> None:
    make_document(owner, tags=("sailing",))
    make_document(owner, "# House\n\nThe oil heating was serviced.", tags=("home",))
    for tool, key, arguments in (
        ("list_documents", "documents", {}),
        ("search_documents", "results", {"query": "oil"}),
    ):
        assert len(ids(assistant.call(tool, **arguments)[key])) == 2
        assert len(ids(assistant.call(tool, tags=["home"], **arguments)[key])) == 1
        assert len(ids(assistant.call(tool, source="documents", **arguments)[key])) == 2
        assert assistant.call(tool, source="elsewhere", **arguments)[key] == []
    assert len(assistant.call("list_documents", limit=1, offset=1)["documents"]) == 1


def test_recall_and_context_prompts_include_documents_on_request(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "The engine of the boat is from 1987")
    make_document(owner, title="Handbook")
    index_pending()
    question = "how often is the engine oil changed"
    assert "documents" not in assistant.call("recall", query=question)
    recalled = assistant.call("recall", query=question, include_documents=True)
    assert [match["text"] for match in recalled["matches"]] == ["The engine of the boat is from 1987"]
    best = recalled["documents"][0]
    assert (best["title"], best["heading"]) == ("Handbook", "Ragnhild › Engine")
    assert {passage["title"] for passage in recalled["documents"]} == {"Handbook"}
    plain = assistant.call("build_context_prompt", user_prompt=question)["prompt"]
    prompt = assistant.call("build_context_prompt", user_prompt=question, include_documents=True)["prompt"]
    assert "Handbook" not in plain
    assert "[Handbook]\nChange the oil after every hundred hours." in prompt
    assert prompt.index("1987") < prompt.index("Handbook") < prompt.index(question)


def test_what_only_a_document_answers_is_not_said_to_be_unknown(assistant: Assistant, owner: User) -> None:
    make_document(owner, title="Handbook")
    index_pending()
    question = "how often is the engine oil changed"
    memories = assistant.call("recall", query=question)
    documents = assistant.call("search_documents", query=question)
    both = assistant.call("recall", query=question, include_documents=True)
    assert (memories["matches"], memories["notice"]) == ([], "Nothing is known about this.")
    assert both["notice"] == "No memory is about this, but passages of documents are."
    assert both["confidence"] == pytest.approx(documents["confidence"], abs=0.001)
    assert both["confidence"] > memories["confidence"]
    prompt = assistant.call("build_context_prompt", user_prompt=question, include_documents=True)
    assert prompt["notice"] == both["notice"]
    unknown = assistant.call("recall", query=question, include_documents=True, max_tokens=1)
    assert (unknown["documents"], unknown["confidence"]) == ([], memories["confidence"])


def test_documents_get_the_tokens_that_memories_leave(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "The engine of the boat is from 1987")
    make_document(owner)
    index_pending()
    arguments = {"query": "engine of the boat", "include_documents": True}
    results = (assistant.call("recall", max_tokens=budget, **arguments) for budget in range(20, 600, 2))
    just_enough = next(result for result in results if result["matches"])
    assert just_enough["documents"] == []
    assert assistant.call("recall", max_tokens=10_000, **arguments)["documents"]


def test_a_limited_app_recalls_no_documents_out_of_its_view(owner: User) -> None:
    make_document(owner, tags=("work",))
    limited = Assistant.of(owner, tags=("home",))
    assert limited.call("recall", query="engine oil", include_documents=True)["documents"] == []
