"""Tests of wrong arguments of every tool: a clear error, nothing written, no secret repeated."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from mcpapi.tools import TOOLS
from memories.errors import EmbeddingError
from memories.models import JournalEntry, Memory
from memories.writing import remembering
from oauthserver.models import User
from tests.documents.sources.support import make_source
from tests.documents.support import make_document
from tests.support.embeddings.embedders import use_embedder
from tests.support.factories import Assistant, make_memory
from tests.support.mcp.rest_client import RestClient, assert_refused
from tests.workflows.support import steps_workflow

VALID: dict[str, dict[str, Any]] = {
    "remember": {"text": "x y"},
    "remember_batch": {"items": [{"text": "x y"}]},
    "recall": {"query": "x"},
    "search_memory": {"query": "x"},
    "briefing": {},
    "build_context_prompt": {"user_prompt": "x"},
    "list_memories": {},
    "update_memory": {"id": 1, "importance": 0.5},
    "update_memory_batch": {"items": [{"id": 1, "importance": 1}]},
    "confirm": {"id": 1},
    "forget": {"id": 1},
    "forget_batch": {"ids": [1]},
    "find_near_duplicates": {},
    "text_search": {"text": "x"},
    "get_memory": {"id": 1},
    "count_memories": {},
    "memory_stats": {},
    "list_tags": {},
    "export_memories": {},
    "memory_history": {"id": 1},
    "list_changes": {},
    "merge_memories": {"ids": [1, 2], "text": "x y"},
    "split_memory": {"id": 1, "texts": ["a b", "c d"]},
    "tidy_next": {},
    "propose_cleanup": {"changes": [{"action": "confirm", "ids": [1]}]},
    "list_cleanup_plans": {},
    "apply_cleanup": {"id": 1},
    "manage_tags": {"action": "add_synonym", "tags": ["automobile"], "into": "cars"},
    "undo": {"since": "2020-01-01T00:00:00Z"},
    "add_document": {"text": "x y"},
    "search_documents": {"query": "x"},
    "get_document": {"id": "0b2b6a6e-0000-4000-8000-000000000000"},
    "list_documents": {},
    "forget_document": {"id": "0b2b6a6e-0000-4000-8000-000000000000"},
    "search": {"query": "x"},
    "fetch": {"id": "1"},
    "list_sources": {},
    "sync_source": {"name": "notes"},
    "run_workflow": {"id": "flow"},
    "ping": {},
}
ODD: list[object] = [True, 12345, 1.5, "", "x", "\x00", [], ["\x00"], [None], {}, {"a": 1}, 2**63, -1, 1e308, "9" * 400]


def every_argument() -> list[Any]:
    return [
        pytest.param(tool.name, name, id=f"{tool.name}-{name}")
        for tool in TOOLS
        for name in tool.definition()["inputSchema"]["properties"]
    ]


@pytest.mark.parametrize(("tool", "name"), every_argument())
def test_an_odd_value_gets_a_clear_error_or_is_fine(assistant: Assistant, tool: str, name: str) -> None:
    for value in ODD:
        payload = assistant.call(tool, **{**VALID[tool], name: value})
        if not payload["ok"]:
            error = payload["error"]
            assert error["code"] in {"INVALID_INPUT", "NOT_FOUND", "LIMIT_EXCEEDED"}, (value, error)
            named = error["message"].startswith((f"{name}:", f"{name}."))
            assert error["code"] != "INVALID_INPUT" or named, (value, error)


@pytest.mark.parametrize("tool", sorted(VALID))
def test_what_is_required_is_named_and_what_is_unknown_too(assistant: Assistant, tool: str) -> None:
    for name in VALID[tool]:
        if name in {"importance", "since"}:
            continue  # Any one of the fields is enough; none is required by itself.
        rest = {key: value for key, value in VALID[tool].items() if key != name}
        error = assistant.error_of(tool, **rest)
        assert (error["code"], error["message"].startswith(f"{name}: is required")) == ("INVALID_INPUT", True)
    error = assistant.error_of(tool, **VALID[tool], surprise=1)
    names = ", ".join(next(known for known in TOOLS if known.name == tool).definition()["inputSchema"]["properties"])
    allowed = f" The arguments are: {names}." if names else ""
    assert error["message"] == f"surprise: is not an argument of this tool.{allowed}"


@pytest.mark.parametrize("tool", sorted(VALID))
def test_an_optional_argument_that_is_null_counts_as_not_given(assistant: Assistant, owner: User, tool: str) -> None:
    there = make_document(owner) if tool in {"get_document", "forget_document"} else make_memory(owner, "there")
    make_source(owner, path="/notes")
    required = {key: type(value)(there.pk) if key == "id" else value for key, value in VALID[tool].items()}
    proposed = {"changes": [{"action": "confirm", "ids": [there.pk]}]}
    if tool == "merge_memories":
        required["ids"] = [there.pk, make_memory(owner, "and here").pk]
    if tool == "propose_cleanup":
        required = proposed
    if tool == "run_workflow":
        required["id"] = steps_workflow(owner, {"tool": "ping"}).name
    if tool == "apply_cleanup":
        required["id"] = assistant.call("propose_cleanup", **proposed)["plan_id"]
    names = next(known for known in TOOLS if known.name == tool).definition()["inputSchema"]["properties"]
    payload = assistant.call(tool, **{**dict.fromkeys(names), **required})
    assert payload["ok"], payload


@pytest.mark.parametrize(
    "moment",
    ["2026-13-17", "2026-05", "tomorrow", "300000-01-01T00:00:00Z", "+300000-01-01T00:00:00Z", "1700000000",
     "2026-13-01T00:00:00Z", "2026-05-17T14:00:00+24:00",
     "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", 1700000000, "never"],
)  # fmt: skip
def test_a_time_must_be_iso_8601_and_of_a_year_that_can_be_stored(assistant: Assistant, moment: object) -> None:
    error = assistant.error_of("remember", text="x y", expires_at=moment)
    assert (error["code"], "expires_at" in error["message"]) == ("INVALID_INPUT", True)
    assert not Memory.objects.exists()


def test_a_day_that_does_not_exist_is_called_that(assistant: Assistant) -> None:
    for day in ("2026-02-30", "2026-13-17", "2026-04-31T10:00:00Z"):
        error = assistant.error_of("recall", query="x", since=day)
        assert error["message"] == "since: names a day that does not exist. Check the month and the day."


def test_a_bad_item_names_its_problem_and_what_is_allowed(assistant: Assistant) -> None:
    payload = assistant.call("update_memory_batch", items=[7, {"id": 1, "txt": "x"}])
    first, second = (result["error"]["message"] for result in payload["results"])
    assert first.startswith("item: must be an object. The arguments are: id, text, ")
    assert second.startswith("txt: is not an argument of this tool. The arguments are: id, text, ")


def test_an_expiry_that_is_past_is_refused(assistant: Assistant, owner: User) -> None:
    wanted = ("INVALID_INPUT", "expires_at: 2020-01-01T00:00:00Z is in the past", "Give a future time")
    memory = make_memory(owner, "I like tea")
    expired = {"expires_at": "2020-01-01T01:00:00+01:00"}
    for error in (
        assistant.error_of("remember", text="x y", **expired),
        assistant.call("remember_batch", items=[{"text": "x y", **expired}])["results"][0]["error"],
        assistant.error_of("update_memory", id=memory.pk, **expired),
        assistant.error_of("update_memory", id=memory.pk, dry_run=True, **expired),
        assistant.call("update_memory_batch", items=[{"id": memory.pk, **expired}])["results"][0]["error"],
    ):
        assert error["code"] == wanted[0]
        assert error["message"].startswith(wanted[1])
        assert wanted[2] in error["message"]
    assert list(Memory.objects.values_list("expires_at", flat=True)) == [None]


def test_a_client_whose_clock_is_slow_may_end_a_memory_now(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I like tea")
    a_minute_ago = (timezone.now() - timedelta(minutes=1)).isoformat()
    assert assistant.call("update_memory", id=memory.pk, expires_at=a_minute_ago)["ok"]


@pytest.mark.parametrize("memory_id", [0, -1, 2**63, 2**64, 10**30, "one", 1.5, True, None])
def test_an_id_is_a_whole_number_of_64_bits(assistant: Assistant, memory_id: object) -> None:
    error = assistant.error_of("get_memory", id=memory_id)
    assert (error["code"], error["message"][:3]) == ("INVALID_INPUT", "id:")


def test_a_whole_number_may_be_written_with_a_point(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I like tea")
    response = assistant.post(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_memory","arguments":{"id":%d.0}}}'
        % memory.pk
    )
    assert response.json()["result"]["structuredContent"]["ok"]


@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        ({"text": "   \n "}, "INVALID_INPUT", "text"),
        ({"text": "x" * 16_001}, "LIMIT_EXCEEDED", "text"),
        ({"text": "a\x00b"}, "INVALID_INPUT", "text"),
        ({"text": "x y", "importance": 1.01}, "INVALID_INPUT", "importance"),
        ({"text": "x y", "session_id": "s" * 201}, "INVALID_INPUT", "session_id"),
        ({"text": "x y", "tags": ["t" * 65]}, "INVALID_INPUT", "tags"),
        ({"text": "x y", "tags": [f"tag{number}" for number in range(51)]}, "INVALID_INPUT", "tags"),
        ({"text": "x y", "tags": {"family": True}}, "INVALID_INPUT", "tags"),
        ({"text": "x y", "capture_mode": "guessed"}, "INVALID_INPUT", "capture_mode"),
        ({"text": "x y", "dedup_policy": "merge"}, "INVALID_INPUT", "dedup_policy"),
        ({"text": "x y", "last_confirmed_at": "2999-01-01T00:00:00Z"}, "INVALID_INPUT", "last_confirmed_at"),
    ],
)
def test_remember_says_what_is_wrong_and_stores_nothing(
    assistant: Assistant, arguments: dict[str, Any], code: str, name: str
) -> None:
    error = assistant.error_of("remember", **arguments)
    assert (error["code"], name in error["message"]) == (code, True)
    assert not Memory.objects.exists()
    assert not JournalEntry.objects.exists()


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("recall", {"query": "x", "limit": 51}, "LIMIT_EXCEEDED"),
        ("recall", {"query": "x", "limit": 0}, "INVALID_INPUT"),
        ("recall", {"query": "x" * 16_001}, "LIMIT_EXCEEDED"),
        ("recall", {"query": " "}, "INVALID_INPUT"),
        ("list_memories", {"limit": 501}, "LIMIT_EXCEEDED"),
        ("list_memories", {"offset": 2**63}, "INVALID_INPUT"),
        ("text_search", {"text": ""}, "INVALID_INPUT"),
    ],
)
def test_limits_are_kept(assistant: Assistant, tool: str, arguments: dict[str, Any], code: str) -> None:
    assert assistant.error_of(tool, **arguments)["code"] == code


def test_a_broken_embedder_loses_no_write(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def embed(self, texts: object) -> object:
            raise EmbeddingError("the provider answered 503", status=503)

        embed_queries = embed

    use_embedder(monkeypatch, Broken)
    payload = assistant.call("remember", text="The broken boiler was repaired")
    assert payload["indexed"] is False
    found = assistant.call("recall", query="boiler")
    assert [match["id"] for match in found["matches"]] == [payload["memory_id"]]
    assert found["matches"][0]["score"] == 0
    assert "keywords only" in found["notice"]
    error = assistant.call("recall", query="boiler", mode="semantic")["error"]
    assert error == {"code": "EMBEDDING_ERROR", "message": "the provider answered 503", "status": 503}
    assert assistant.call("update_memory", id=payload["memory_id"], text="The boiler broke again")["indexed"] is False


@pytest.mark.parametrize(
    ("error", "code"),
    [(DatabaseError("secret detail"), "DATABASE_ERROR"), (RuntimeError("secret detail"), "INTERNAL_ERROR")],
)
def test_the_text_of_an_unexpected_error_never_reaches_a_client(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch, error: Exception, code: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(remembering, "remember", fail)
    answer = assistant.error_of("remember", text="x y")
    assert answer["code"] == code
    assert "secret detail" not in answer["message"]


def test_a_zone_that_the_database_does_not_read_is_converted(assistant: Assistant) -> None:
    payload = assistant.call("remember", text="x y", last_confirmed_at="2020-01-01T12:00:00+16:30")
    memory = assistant.call("get_memory", id=payload["memory_id"])["memory"]
    assert memory["last_confirmed_at"] == "2019-12-31T19:30:00Z"


def test_a_million_wrong_entries_get_a_short_answer(assistant: Assistant) -> None:
    response = assistant.request("tools/call", {"name": "recall", "arguments": {"query": "x", "tags": [0] * 1_000_000}})
    assert len(response.content) < 1_000
    many = {f"unknown{number}": 1 for number in range(100_000)}
    assert len(assistant.request("tools/call", {"name": "ping", "arguments": many}).content) < 1_000


def test_the_name_of_an_unknown_argument_is_not_repeated_when_it_is_a_secret(assistant: Assistant) -> None:
    secret = "ghp_" + "a" * 36
    error = assistant.error_of("ping", **{secret: 1})
    assert (error["code"], secret in error["message"]) == ("INVALID_INPUT", False)


@pytest.mark.parametrize("item", ["a", 1, None, [], {"id": 1, "expires_at": "soon"}])
def test_errors_of_items_do_not_show_how_the_check_is_built(assistant: Assistant, item: object) -> None:
    (result,) = assistant.call("update_memory_batch", items=[item])["results"]
    assert not any(word in result["error"]["message"] for word in ("Args", "function", "literal", "valid dictionary"))


@pytest.mark.parametrize("field", ["tags", "source_provider", "session_id"])
def test_a_secret_is_refused_in_every_field(assistant: Assistant, field: str) -> None:
    secret = "4111 1111" + "  1111 1111"
    error = assistant.error_of("remember", text="x y", **{field: [secret] if field == "tags" else secret})
    assert (error["code"], secret in error["message"]) == ("SECRET_REJECTED", False)


def test_metadata_is_never_dropped_without_a_word(assistant: Assistant, owner: User) -> None:
    fact = {"text": "Ines plays squash", "metadata": {"category": "sport"}}
    said = "metadata: is not an argument of this tool. The arguments are: text, tags,"
    assert assistant.error_of("remember", **fact)["message"].startswith(said)
    (result,) = assistant.call("remember_batch", items=[fact])["results"]
    assert result["error"]["message"].startswith("metadata: is not an argument")
    response = RestClient.of(owner).ask("/tools/remember", **fact)
    assert said in assert_refused(response, 400, "INVALID_INPUT")["message"]
    assert not Memory.objects.exists()
