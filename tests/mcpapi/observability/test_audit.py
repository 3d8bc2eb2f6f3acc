"""Tests of the activity log: one line per call, without any content."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from common.clock import clock_watch
from mcpapi.models import AuditLine, RateWindow
from mcpapi.observability.audit import HIDDEN_QUERY, MAX_IDS, MAX_QUERY_CHARS, UNKNOWN, audit_lines
from mcpapi.tasks import delete_expired_rows
from mcpapi.tools import TOOLS, UNLISTED
from oauthserver.connections.usage import pending_uses
from oauthserver.models import Connection, User
from tests.documents.support import make_document
from tests.mcpapi.eras.test_batches import BATCHING, NOTE, PING
from tests.support.factories import Assistant, make_app, make_memory
from tests.support.mcp.handshake_client import session_of
from tests.support.mcp.stateless_client import VERSION, ask
from tests.workflows.support import steps_workflow

SECRET_WORDS = "the purple elephant"
ABOUT_DOCUMENTS = {"add_document", "search_documents", "get_document", "list_documents", "forget_document"}
ABOUT_NO_MEMORY = {"ping", "count_memories", "memory_stats", "list_tags", "list_sources"}
ABOUT_TAGS = {"manage_tags"}
ABOUT_A_SOURCE = {"sync_source"}
ABOUT_OTHER_CALLS = {"run_workflow"}
ABOUT_PLANS = {"list_cleanup_plans", "apply_cleanup"}


def written() -> list[AuditLine]:
    """Return the lines of the activity log, oldest first."""
    audit_lines.flush()
    return list(AuditLine.objects.order_by("id"))


def only_line() -> AuditLine:
    (line,) = written()
    return line


def calls_about(memory_id: int, twin_id: int) -> dict[str, dict[str, Any]]:
    """Return, for each tool, arguments with which it shows or changes the memory."""
    searching = {"query": SECRET_WORDS}
    return {
        "remember": {"text": SECRET_WORDS},
        "remember_batch": {"items": [{"text": SECRET_WORDS}, {"text": 5}]},
        "recall": searching,
        "search_memory": searching,
        "memory.search": searching,
        "search": searching,
        "fetch": {"id": str(memory_id)},
        "briefing": {},
        "build_context_prompt": {"user_prompt": SECRET_WORDS},
        "list_memories": {},
        "update_memory": {"id": memory_id, "importance": 0.9},
        "update_memory_batch": {"items": [{"id": memory_id, "importance": 0.1}, {"id": 10**9, "importance": 0.1}]},
        "confirm": {"id": memory_id},
        "forget": {"id": memory_id, "dry_run": True},
        "forget_batch": {"ids": [memory_id, 10**9], "dry_run": True},
        "memory_history": {"id": memory_id},
        "list_changes": {},
        "undo": {"since": "2020-01-01T00:00:00Z", "dry_run": True},
        "merge_memories": {"ids": [memory_id, twin_id], "text": SECRET_WORDS, "dry_run": True},
        "split_memory": {"id": memory_id, "texts": ["one part", "another part"], "dry_run": True},
        "tidy_next": {},
        "propose_cleanup": {"changes": [{"action": "confirm", "ids": [memory_id]}]},
        "find_near_duplicates": {"threshold": 0.5},
        "text_search": {"text": SECRET_WORDS},
        "get_memory": {"id": memory_id},
        "export_memories": {},
    }


@pytest.fixture
def memory_ids(owner: User) -> tuple[int, int]:
    """Two memories that are near each other."""
    return make_memory(owner, SECRET_WORDS).pk, make_memory(owner, f"{SECRET_WORDS} again").pk


def test_a_call_leaves_who_what_how_and_how_long(owner: User) -> None:
    app = make_app("Notebook")
    memory = make_memory(owner, SECRET_WORDS)
    assistant = Assistant.of(owner, app=app)
    before = timezone.now()
    assert assistant.call("get_memory", id=memory.pk)["ok"]
    line = only_line()
    assert before <= line.at <= timezone.now()
    assert (line.owner_id, line.client_id, line.client_name) == (owner.pk, app.client_id, "Notebook")
    assert (line.method, line.tool, line.result) == ("tools/call", "get_memory", AuditLine.OK)
    assert (line.memory_ids, line.memory_count) == ([memory.pk], 1)
    assert (line.protocol_version, line.session) == ("2025-11-25", "")
    assert 0 < line.milliseconds < 60_000


@pytest.mark.parametrize(
    "tool",
    sorted(
        {tool.name for tool in (*TOOLS, *UNLISTED)}
        - (ABOUT_NO_MEMORY | ABOUT_A_SOURCE | ABOUT_DOCUMENTS | ABOUT_PLANS | ABOUT_TAGS | ABOUT_OTHER_CALLS)
    ),
)
def test_each_tool_names_the_memories_that_it_shows_or_changes(
    assistant: Assistant, memory_ids: tuple[int, int], tool: str
) -> None:
    assert assistant.call(tool, **calls_about(*memory_ids)[tool])["ok"]
    line = only_line()
    assert memory_ids[0] in line.memory_ids
    assert 10**9 not in line.memory_ids
    assert line.memory_count == len(line.memory_ids)


def test_tools_for_plans_name_the_memories_of_the_plans(assistant: Assistant, memory_ids: tuple[int, int]) -> None:
    plan = assistant.call("propose_cleanup", changes=[{"action": "forget", "ids": [memory_ids[0]]}])["plan_id"]
    assistant.call("list_cleanup_plans")
    assistant.call("apply_cleanup", id=plan)
    assert [line.memory_ids for line in written()] == [[memory_ids[0]]] * 3


@pytest.mark.parametrize("tool", ["update_memory", "update_memory_batch", "forget", "forget_batch"])
@pytest.mark.parametrize("dry_run", [True, False])
def test_a_dry_run_is_kept_as_one(assistant: Assistant, memory_ids: tuple[int, int], tool: str, dry_run: bool) -> None:
    assert assistant.call(tool, **{**calls_about(*memory_ids)[tool], "dry_run": dry_run})["ok"]
    line = only_line()
    assert (line.result, line.dry_run) == (AuditLine.OK, dry_run)
    pending_uses.flush()
    kept = Connection.objects.get()
    assert (kept.reads, kept.writes) == ((1, 0) if dry_run else (0, 1))


@pytest.mark.parametrize("tool", sorted(ABOUT_NO_MEMORY))
def test_the_other_tools_name_none(assistant: Assistant, memory_ids: tuple[int, int], tool: str) -> None:
    assert assistant.call(tool)["ok"]
    assert only_line().memory_ids == []


def test_tools_for_documents_name_them_and_no_memory_and_leave_no_text(assistant: Assistant) -> None:
    document_id = assistant.call("add_document", text=SECRET_WORDS)["document_id"]
    assistant.call("search_documents", query=SECRET_WORDS)
    assistant.call("get_document", id=document_id)
    assistant.call("list_documents")
    assistant.call("forget_document", id=document_id)
    lines = written()
    assert [line.tool for line in lines] == [
        "add_document",
        "search_documents",
        "get_document",
        "list_documents",
        "forget_document",
    ]
    assert all(line.result == AuditLine.OK and not line.memory_ids for line in lines)
    assert {(tuple(line.document_ids), line.document_count) for line in lines} == {((UUID(document_id),), 1)}
    assert SECRET_WORDS not in str(list(AuditLine.objects.values()))


def test_searches_in_memories_and_documents_name_both(assistant: Assistant, owner: User) -> None:
    memory, document = make_memory(owner, SECRET_WORDS), make_document(owner, SECRET_WORDS)
    assistant.call("search", query=SECRET_WORDS)
    assistant.call("recall", query=SECRET_WORDS, include_documents=True)
    assistant.call("fetch", id=str(document.pk))
    for line in written():
        assert line.document_ids == [document.pk]
        assert line.memory_ids == ([] if line.tool == "fetch" else [memory.pk])


def test_resources_and_prompts_name_the_documents_in_them(assistant: Assistant, owner: User) -> None:
    document = make_document(owner, SECRET_WORDS)
    uri = f"ownsona://documents/{document.pk}"
    for each in ("ownsona://documents/", uri, f"{uri}/original"):
        assistant.result("resources/read", uri=each)
    assistant.result("prompts/get", name="summarize-document", arguments={"documentUri": uri})
    cursor = assistant.result("resources/list")["nextCursor"]
    assistant.result("resources/list", cursor=cursor)
    named = [(line.method, line.document_ids) for line in written()]
    assert named == [
        *[("resources/read", [document.pk])] * 3,
        ("prompts/get", [document.pk]),
        ("resources/list", []),
        ("resources/list", [document.pk]),
    ]


def test_of_many_documents_the_first_are_kept_with_their_number(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcpapi.observability.audit.MAX_IDS", 2)
    for number in range(3):
        make_document(owner, f"Text {number}.")
    assistant.call("list_documents")
    line = only_line()
    assert (len(line.document_ids), line.document_count) == (2, 3)


def test_reading_resources_names_them_too(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, SECRET_WORDS, tags=("home",))
    for uri in ("ownsona://memory/", f"ownsona://memory/{memory.pk}", "ownsona://tags/home"):
        assistant.result("resources/read", uri=uri)
    assistant.result("resources/list")
    assert [(line.method, line.memory_ids) for line in written()] == [
        *[("resources/read", [memory.pk])] * 3,
        ("resources/list", [memory.pk]),
    ]


def test_of_many_memories_the_first_are_named_and_all_are_counted(assistant: Assistant, owner: User) -> None:
    items = [{"text": f"fact number {number}"} for number in range(MAX_IDS + 5)]
    assistant.call("remember_batch", items=items, dedup_policy="insert")
    line = only_line()
    assert (len(line.memory_ids), line.memory_count) == (MAX_IDS, MAX_IDS + 5)


def test_no_line_holds_what_was_said(assistant: Assistant, memory_ids: tuple[int, int]) -> None:
    for tool, arguments in calls_about(*memory_ids).items():
        assistant.call(tool, **arguments)
    assistant.request("tools/call", {"name": SECRET_WORDS})
    assistant.request(SECRET_WORDS)
    assistant.request("prompts/get", {"name": "what-do-you-know-about", "arguments": {"topic": SECRET_WORDS}})
    written()
    record = str(list(AuditLine.objects.values()))
    assert "text_search" in record
    assert "elephant" not in record
    assert assistant.token not in record


def test_what_is_not_there_is_called_unknown(assistant: Assistant) -> None:
    assistant.request("tools/call", {"name": "no\x00such"})
    assistant.request("tools/call", {"name": ["x"]})
    assistant.request("no\x00such")
    assert [(line.method, line.tool, line.result) for line in written()] == [
        ("tools/call", UNKNOWN, "invalid_params"),
        ("tools/call", UNKNOWN, "invalid_params"),
        (UNKNOWN, "", "method_not_found"),
    ]


@pytest.mark.parametrize(
    ("arguments", "result"), [({"id": 10**9}, "NOT_FOUND"), ({"id": "x"}, "INVALID_INPUT"), ({}, "INVALID_INPUT")]
)
def test_a_failure_is_kept_by_its_code(assistant: Assistant, arguments: dict[str, Any], result: str) -> None:
    assistant.error_of("get_memory", **arguments)
    assert only_line().result == result


def test_refusals_are_kept_by_their_reason(owner: User, assistant: Assistant) -> None:
    Assistant.of(owner, "memory:read").request("tools/call", {"name": "remember", "arguments": {"text": "x y"}})
    assistant.request("ping", headers={"mcp-session-id": "x"})
    ask(assistant, "tools/list", headers={"mcp-method": "ping"})
    assert [line.result for line in written()] == ["insufficient_scope", "session_not_found", "header_mismatch"]


def test_an_unexpected_failure_is_kept_without_its_text(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*args: object, **options: object) -> None:
        raise ZeroDivisionError(SECRET_WORDS)

    monkeypatch.setattr("mcpapi.rpc.jsonrpc.result_bytes", explode)
    assert assistant.request("tools/list").json()["error"]["code"] == -32603
    assert only_line().result == "internal_error"


def test_both_eras_and_each_message_of_a_batch_leave_a_line(assistant: Assistant) -> None:
    ask(assistant, "tools/list")
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "no_such_tool"}}
    assistant.post([PING, NOTE, call, PING], BATCHING)
    assert [(line.protocol_version, line.method, line.result) for line in written()] == [
        (VERSION, "tools/list", AuditLine.OK),
        ("2025-03-26", "ping", AuditLine.OK),
        ("2025-03-26", "tools/call", "invalid_params"),
        ("2025-03-26", "ping", AuditLine.OK),
    ]


def test_calls_of_a_batch_do_not_share_their_memories(assistant: Assistant, memory_ids: tuple[int, int]) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": "confirm", "arguments": {"id": i}}}
        for i in memory_ids
    ]
    assert assistant.post(batch, BATCHING).status_code == 200
    assert [line.memory_ids for line in written()] == [[memory_id] for memory_id in memory_ids]


def test_notifications_leave_no_line(assistant: Assistant) -> None:
    assert assistant.post(NOTE).status_code == 202
    assert written() == []


def test_calls_of_a_session_can_be_told_by_it_without_its_id(assistant: Assistant) -> None:
    ids = [session_of(assistant), session_of(assistant)]
    for session_id in (ids[0], ids[0], ids[1]):
        assistant.request("ping", headers={"mcp-session-id": session_id})
    sessions = [line.session for line in written() if line.method == "ping"]
    assert sessions[0] == sessions[1] != sessions[2]
    assert all(session and session not in session_id for session in sessions for session_id in ids)


def test_a_flood_over_the_limit_leaves_one_line_between_two_writes(assistant: Assistant, settings: Settings) -> None:
    settings.MCP_RATE_LIMIT_PER_MINUTE = 1
    for _ in range(10):
        assistant.request("ping")
    assert [line.result for line in written()] == [AuditLine.OK, "rate_limited"]
    assert RateWindow.objects.count() == 1


# --- Queries, if the owner wants them


@pytest.mark.parametrize("tool", ["recall", "search_memory", "memory.search", "search"])
def test_the_owner_can_have_queries_kept(assistant: Assistant, settings: Settings, tool: str) -> None:
    settings.AUDIT_QUERIES = True
    assistant.call(tool, query=SECRET_WORDS)
    assistant.call("text_search", text=SECRET_WORDS)
    assistant.call("build_context_prompt", user_prompt=SECRET_WORDS)
    assert [line.query for line in written()] == [SECRET_WORDS] * 3


def test_a_query_is_kept_short_and_without_secrets(assistant: Assistant, settings: Settings) -> None:
    settings.AUDIT_QUERIES = True
    assistant.call("recall", query="elephant " * 200)
    assistant.call("recall", query=f"my key is AKIA{'A' * 16}")
    long, secret = written()
    assert len(long.query) == MAX_QUERY_CHARS
    assert secret.query == HIDDEN_QUERY


# --- Retention and cost


def test_old_lines_go_once_a_day(assistant: Assistant, settings: Settings) -> None:
    for _ in range(2):
        assistant.request("ping")
    old, new = written()
    AuditLine.objects.filter(pk=old.pk).update(at=timezone.now() - timedelta(days=settings.AUDIT_DAYS, hours=1))
    delete_expired_rows(0)
    assert AuditLine.objects.get() == new


def test_a_clock_that_was_set_a_moment_ago_lets_nothing_go(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant.request("ping")
    written()
    AuditLine.objects.update(at=timezone.now() - timedelta(days=3650))
    monkeypatch.setattr(clock_watch, "is_steady", lambda: False)
    delete_expired_rows(0)
    assert AuditLine.objects.count() == 1


def test_without_days_no_record_is_kept_and_the_old_one_goes(assistant: Assistant, settings: Settings) -> None:
    assistant.request("ping")
    assert len(written()) == 1
    settings.AUDIT_DAYS = 0
    assistant.request("ping")
    assert len(written()) == 1
    delete_expired_rows(0)
    assert written() == []


def test_no_call_waits_for_its_line(assistant: Assistant, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    assistant.request("ping")
    with django_assert_num_queries(1):
        assistant.request("ping")
    assert not AuditLine.objects.exists()
    assert len(written()) == 2


def test_odd_letters_in_a_query_are_kept_as_they_are(assistant: Assistant, settings: Settings) -> None:
    settings.AUDIT_QUERIES = True
    odd = 'tab\tline\nback\\slash "quoted" {braces} \\N ö😀'
    assistant.call("text_search", text=odd)
    assert only_line().query == odd


def test_a_run_of_a_workflow_names_the_memories_of_all_its_steps(
    assistant: Assistant, owner: User, memory_ids: tuple[int, int]
) -> None:
    steps = [{"tool": "get_memory", "arguments": {"id": memory_id}} for memory_id in memory_ids]
    steps_workflow(owner, *steps)
    assistant.call("run_workflow", id="flow")
    line = only_line()
    assert (line.tool, sorted(line.memory_ids)) == ("run_workflow", sorted(memory_ids))
