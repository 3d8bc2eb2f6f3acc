"""Tests of tools over REST: the MCP tools, as plain HTTP."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from jsonschema import Draft202012Validator
from pytest_django import DjangoAssertNumQueries

from mcpapi.approvals.approval_store import approve, reject
from mcpapi.models import Approval
from mcpapi.rest.tool_list import BUILTINS
from mcpapi.tools import TOOLS
from memories.errors import EmbeddingError
from memories.models import Memory
from memories.tasks import index_pending
from memories.writing import lifecycle
from oauthserver.models import Connection, User
from tests.documents.support import make_document
from tests.mcpapi.approvals.conftest import hard_delete, must_ask, the_approval
from tests.support.embeddings.embedders import use_embedder, use_windows
from tests.support.factories import Assistant, actor_for, make_app, make_memory, make_user
from tests.support.mcp.rest_client import RestClient, assert_refused

MOCHI = "My dog is called Mochi"


def test_a_tool_answers_with_its_payload_as_the_result(program: RestClient, owner: User) -> None:
    stored = program.post("/tools/remember", text=MOCHI, tags=["pets"])["result"]
    assert stored["ok"] is True
    assert Memory.objects.get(owner=owner).pk == stored["memory_id"]
    assert (
        Assistant(program.token).call("get_memory", id=stored["memory_id"])
        == (program.post("/tools/get_memory", id=stored["memory_id"])["result"])
    )


def test_a_tool_without_required_arguments_needs_no_body(program: RestClient) -> None:
    assert program.send("POST", "/tools/memory_stats").json()["result"]["total"] == 0


@pytest.mark.parametrize("path", ["/tools/ping", "/tools/ping/"])
def test_a_slash_at_the_end_changes_nothing(program: RestClient, path: str) -> None:
    assert program.post(path, message="hi")["result"]["message"] == "hi"


def test_a_tool_that_no_list_shows_is_answered_too(program: RestClient) -> None:
    assert program.post("/tools/memory.search", query="dog")["result"]["matches"] == []


# --- search and get


def test_search_finds_documents(program: RestClient, owner: User) -> None:
    memory = make_memory(owner, MOCHI, tags=("pets",))
    answered = program.post("/tools/search", query="What is my dog called?")
    (found,) = answered.pop("results")
    assert answered == {}
    score = found.pop("score")
    assert 0 <= score <= 1
    assert found == {
        "id": str(memory.pk),
        "title": MOCHI,
        "source": "memory",
        "source_id": str(memory.pk),
        "updated_at": memory.updated_at.isoformat().replace("+00:00", "Z"),
        "snippet": MOCHI,
        "source_url": f"http://127.0.0.1:8000/admin/memories/memory/{memory.pk}/change/",
    }


def test_get_answers_with_the_whole_document(program: RestClient, owner: User) -> None:
    text = "My dog " + "barks " * 200
    memory = make_memory(owner, text, tags=("pets",), source_provider="Claude")
    document = program.post("/tools/get", id=memory.pk)
    Draft202012Validator(BUILTINS["get"].definition()["outputSchema"]).validate({"ok": True, **document})
    assert document["body"] == document["chunks"][0]["text"] == text.strip()
    assert document["title"].startswith("My dog barks")
    assert (document["id"], document["source"], document["source_id"]) == (str(memory.pk), "memory", str(memory.pk))
    assert (document["content_type"], document["author"]) == ("text/plain", None)
    assert document["metadata"]["tags"] == ["pets"]
    assert document["metadata"]["source_provider"] == "Claude"
    assert document["created_at"].endswith("Z")


def test_a_long_text_is_found_with_its_beginning_alone(program: RestClient, owner: User) -> None:
    make_memory(owner, "dog " * 400)
    (found,) = program.post("/tools/search", query="dog")["results"]
    assert len(found["snippet"]) == 500


def test_a_long_text_is_found_with_the_part_that_answers(
    program: RestClient, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_windows(monkeypatch, 60)
    make_memory(owner, "The boat was sold in spring. Mochi the dog likes carrots and peas. The fence needs new paint.")
    (found,) = program.post("/tools/search", query="what does the dog Mochi like, carrots?")["results"]
    assert (found["snippet"], found["title"][:8]) == ("Mochi the dog likes carrots and peas.", "The boat")


def test_a_search_can_be_narrowed(program: RestClient, owner: User) -> None:
    dog = make_memory(owner, MOCHI, tags=("pets",))
    make_memory(owner, "My cat is called Luna", tags=("cats",))

    def ids(**filters: Any) -> list[str]:
        return [found["id"] for found in program.post("/tools/search", query="called", filters=filters)["results"]]

    assert len(ids()) == len(ids(source=None, tags=None, since=None, until=None)) == len(ids(source="memory")) == 2
    assert ids(tags=["pets"]) == [str(dog.pk)]
    assert ids(source="wiki") == []
    assert ids(since="2999-01-01T00:00:00Z") == ids(until="2000-01-01T00:00:00Z") == []
    assert len(program.post("/tools/search", query="called", mode="keyword", limit=1)["results"]) == 1


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "mode": "magic"}, "mode"),
        ({"query": "x", "filters": []}, "filters"),
        ({"query": "x", "filters": {"since": "yesterday"}}, "since"),
        ({"query": "x", "filters": {"tags": 5}}, "tags"),
        ({"query": "x", "filters": {"colour": "red"}}, "colour"),
        ({"query": "x\x00"}, "query"),
    ],
)
def test_a_search_that_is_none_names_what_is_wrong(program: RestClient, arguments: dict[str, Any], name: str) -> None:
    error = assert_refused(program.ask("/tools/search", **arguments), 400, "bad_request")
    assert error["message"].startswith(f"{name}:")


def test_only_documents_in_force_of_ones_own_can_be_had(program: RestClient, owner: User) -> None:
    forgotten = make_memory(owner, MOCHI)
    lifecycle.forget_memory(actor_for(owner), forgotten.pk)
    for memory_id in (forgotten.pk, make_memory(make_user(), MOCHI).pk, 10**9):
        assert_refused(program.ask("/tools/get", id=memory_id), 404, "not_found")
    assert program.post("/tools/search", query=MOCHI)["results"] == []


def test_documents_are_found_beside_memories_and_read(program: RestClient, owner: User) -> None:
    memory = make_memory(owner, "The oil of the car is changed in May")
    document = make_document(owner, title="Handbook", source_url="https://example.com/boat")
    index_pending()
    results = program.post("/tools/search", query="when is the oil changed")["results"]
    assert {found["id"] for found in results} == {str(memory.pk), str(document.pk)}
    (found,) = (found for found in results if found["id"] == str(document.pk))
    assert 0 < found.pop("score") <= 1
    assert found == {
        "id": str(document.pk),
        "title": "Handbook",
        "source": "documents",
        "source_id": "https://example.com/boat",
        "updated_at": document.updated_at.isoformat().replace("+00:00", "Z"),
        "snippet": "Change the oil after every hundred hours. The filter is behind the ladder.",
        "source_url": "https://example.com/boat",
    }
    whole = program.post("/tools/get", id=str(document.pk))
    Draft202012Validator(BUILTINS["get"].definition()["outputSchema"]).validate({"ok": True, **whole})
    assert (whole["content_type"], whole["title"]) == ("text/markdown", "Handbook")
    assert [chunk["index"] for chunk in whole["chunks"]] == [0, 1, 2]
    assert all(chunk["text"] in whole["body"] for chunk in whole["chunks"])


def test_a_source_restricts_a_search(program: RestClient, owner: User) -> None:
    make_memory(owner, "The oil of the car is changed in May")
    make_document(owner)
    for source, expected in (("memory", ["memory"]), ("documents", ["documents"]), ("wiki", [])):
        results = program.post("/tools/search", query="oil changed", filters={"source": source})["results"]
        assert [found["source"] for found in results] == expected


@pytest.mark.parametrize("item_id", ["x", "", "0b2b6a6e", None, ["1"]])
def test_what_is_no_id_is_a_bad_request(program: RestClient, item_id: object) -> None:
    error = assert_refused(program.ask("/tools/get", id=item_id), 400, "bad_request")
    assert error["message"].startswith("id:")


# --- Lists


def test_the_list_shows_every_tool_with_its_arguments(program: RestClient) -> None:
    tools = {tool["name"]: tool for tool in program.get("/tools/list")["tools"]}
    assert set(tools) == {tool.name for tool in TOOLS} | {"get"}
    assert all(set(tool) == {"name", "description", "builtin", "parameters"} for tool in tools.values())
    assert set(tools["search"]["parameters"]["properties"]) == {"query", "mode", "limit", "filters"}
    assert tools["remember"]["parameters"]["required"] == ["text"]


def test_the_list_is_that_of_the_caller(owner: User) -> None:
    app = make_app()
    program = RestClient.of(owner, "memory:read", app=app)
    assert "export_memories" not in {tool["name"] for tool in program.get("/tools/list")["tools"]}
    Connection.objects.filter(application=app).update(tools=["fetch", "recall"])
    assert {tool["name"] for tool in program.get("/tools/list")["tools"]} == {"fetch", "recall", "get"}


def test_the_built_in_sources_are_the_memory_and_the_documents(program: RestClient, owner: User) -> None:
    make_memory(owner, MOCHI)
    make_memory(make_user(), MOCHI)
    assert program.get("/tools/sources") == {
        "sources": [
            {"name": "memory", "configured": True, "healthy": True, "notes": "Active memories: 1."},
            {
                "name": "documents",
                "configured": True,
                "healthy": True,
                "notes": "Documents that were added one by one: 0.",
            },
        ]
    }


def test_a_source_without_its_embedder_says_so(program: RestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise EmbeddingError("no model")

    use_embedder(monkeypatch, fail)
    source, _ = program.get("/tools/sources")["sources"]
    assert source["healthy"] is False
    assert "Keyword search only" in source["notes"]


# --- Approvals


def test_a_risky_call_is_carried_out_when_the_owner_has_approved_it(program: RestClient, owner: User) -> None:
    memory = make_memory(owner, MOCHI)
    must_ask()
    error = assert_refused(program.ask("/tools/forget", **hard_delete(memory)), 409, "APPROVAL_TIMED_OUT")
    assert "/admin/mcpapi/approval/" in error["message"]
    assert approve(the_approval(), Approval.Place.PAGE)
    assert program.post("/tools/forget", **hard_delete(memory))["result"]["message"] == "Hard deleted"


def test_a_risky_call_that_the_owner_rejects_is_refused(program: RestClient, owner: User) -> None:
    memory = make_memory(owner, MOCHI)
    must_ask()
    program.ask("/tools/forget", **hard_delete(memory))
    assert reject(the_approval(), Approval.Place.PAGE)
    assert_refused(program.ask("/tools/forget", **hard_delete(memory)), 403, "APPROVAL_REJECTED")
    assert Memory.objects.get() == memory


# --- Cost


def queries_of(call: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        call()
    return len(captured)


@pytest.mark.django_db(transaction=True)
def test_a_call_costs_as_many_queries_as_at_mcp(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    owner = make_user()
    program = RestClient.of(owner)
    assistant = Assistant(program.token)
    memory = make_memory(owner, MOCHI)
    program.post("/tools/search", query="what a process looks up once")
    pairs: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
        ("ping", {}, "ping", {}),
        ("recall", {"query": "dog"}, "recall", {"query": "dog"}),
        ("search", {"query": "dog"}, "search", {"query": "dog"}),
        ("get", {"id": memory.pk}, "fetch", {"id": str(memory.pk)}),
        ("remember", {"text": "I live in Lyon"}, "remember", {"text": "I work in Ghent"}),
    ]
    for path, arguments, tool, same in pairs:
        expected = queries_of(partial(assistant.call, tool, **same))
        with django_assert_num_queries(expected):
            program.post(f"/tools/{path}", **arguments)
    with django_assert_num_queries(4):
        program.get("/tools/sources")


def test_arguments_are_understood_as_models_send_them(program: RestClient, owner: User) -> None:
    memory = make_memory(owner, "The kettle is old", tags=("kitchen",))
    filters = '{"tags": "kitchen, garden", "since": "2020-01-01"}'
    (found,) = program.ask("/tools/search", query="kettle", mode="keyword", limit="2", filters=filters).json()[
        "results"
    ]
    assert found["id"] == str(memory.pk)
    assert program.ask("/tools/get", id=str(memory.pk)).json()["body"] == "The kettle is old"
    changed = program.ask("/tools/update_memory", id=str(memory.pk), importance="1", tags="kitchen", dry_run="true")
    assert changed.json()["result"]["changed_fields"] == ["importance"]
