"""Tests of the tool run_workflow: whole runs, failures, approvals, limits, resumption and isolation."""

from __future__ import annotations

import threading
import uuid
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from mcpapi.approvals.approval_store import approve, reject
from mcpapi.models import Approval
from mcpapi.tools.workflows.tool_runner import CallerTools
from memories.models import Memory, PastRecall
from memories.recall_log.past_recalls import pending_recalls
from memories.writing.lifecycle import hard_delete_memory
from oauthserver.models import Connection, User
from tests.support.factories import Assistant, actor_for, make_memory, make_user
from tests.support.mcp.rest_client import RestClient
from tests.workflows.support import make_workflow, steps_workflow
from workflows import execution
from workflows.changes import delete_workflow
from workflows.execution import ToolOutcome
from workflows.models import Run, RunStep
from workflows.runs import clean_up_runs

PING = {"tool": "ping"}
RUN = "run_workflow"


def forgetting(memory: Memory) -> dict[str, Any]:
    """Return a step that deletes a memory for good, which may need an approval."""
    return {"tool": "forget", "arguments": {"id": memory.pk, "hard_delete": True}}


def needs_approval() -> None:
    Connection.objects.update(approvals=["hard_delete"])


def states(result: dict[str, Any]) -> dict[str, str]:
    return {step["path"]: step["state"] for step in result["steps"]}


# --- Whole runs


def test_a_run_calls_one_tool_after_the_other_with_what_the_first_returned(assistant: Assistant, owner: User) -> None:
    make_workflow(owner)
    result = assistant.call(RUN, id="store", arguments={"fact": "Mochi is a dog", "tags": "pets"})
    first, second = Memory.objects.order_by("pk")
    assert (result["state"], states(result)) == ("done", {"first": "done", "second": "done"})
    assert result["output"] == {"ids": [first.pk, second.pk]}
    assert result["steps"][0]["result"]["memory_id"] == first.pk
    assert (first.text, first.tags, first.importance) == ("Mochi is a dog", ["pets"], 0.5)
    assert second.text == f"It follows from memory {first.pk}: Mochi is a dog"
    run = Run.objects.get()
    assert (run.state, run.definitions, run.arguments) == ("done", None, None)
    assert [step.result for step in run.steps.all()] == [None, None]


def test_the_recall_of_a_step_is_in_the_recall_log(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "Mochi is a dog")
    steps_workflow(owner, {"tool": "recall", "arguments": {"query": "Who is Mochi?"}}, {"tool": "ping"})
    assert assistant.call(RUN, id="flow")["state"] == "done"
    pending_recalls.flush()
    past = PastRecall.objects.get()
    assert (past.tool, [match["id"] for match in past.matches]) == (RUN, [memory.pk])


def test_a_step_whose_condition_does_not_hold_is_skipped(assistant: Assistant, owner: User) -> None:
    make_workflow(owner)
    make_memory(owner, "Mochi is a dog")
    result = assistant.call(RUN, id="store", arguments={"fact": "Mochi is a dog"})
    assert result["state"] == "failed"
    assert result["message"] == "output: {steps.second.memory_id} has no value: an earlier step has not returned it."
    assert states(result) == {"first": "done", "second": "skipped"}
    assert result["steps"][1]["message"] == "Not so: {steps.first.message} is Ok"


def test_a_workflow_can_run_another_one(assistant: Assistant, owner: User) -> None:
    make_workflow(owner)
    steps_workflow(
        owner,
        {"workflow": "store", "arguments": {"fact": "{what}"}},
        {"tool": "get_memory", "arguments": {"id": "{steps.a.ids.0}"}},
        arguments=[{"name": "what"}],
        output="{steps.b.memory.text}",
    )
    result = assistant.call(RUN, id="flow", arguments={"what": "Tea is green"})
    assert result["output"] == "Tea is green"
    assert states(result) == {"a/first": "done", "a/second": "done", "a": "done", "b": "done"}


def test_rest_runs_workflows_too(owner: User) -> None:
    make_workflow(owner)
    answer = RestClient.of(owner).post("/tools/run_workflow", id="store", arguments={"fact": "Tea is green"})
    assert answer["result"]["state"] == "done"


# --- Failures


def test_a_failed_step_ends_the_run_with_its_error(assistant: Assistant, owner: User) -> None:
    steps_workflow(owner, PING, {"tool": "get_memory", "arguments": {"id": 999}}, PING)
    result = assistant.call(RUN, id="flow")
    assert (result["state"], states(result)) == ("failed", {"a": "done", "b": "failed"})
    assert (result["steps"][1]["error_code"], "999" in result["message"]) == ("NOT_FOUND", True)


def test_a_run_can_go_on_after_a_failed_step(assistant: Assistant, owner: User) -> None:
    steps_workflow(
        owner,
        {"tool": "get_memory", "arguments": {"id": 999}, "on_error": "continue"},
        {**PING, "when": {"value": "{steps.a.error.code}", "equals": "NOT_FOUND"}},
    )
    result = assistant.call(RUN, id="flow")
    assert (result["state"], states(result)) == ("done", {"a": "failed", "b": "done"})


def test_an_unexpected_result_ends_the_run(assistant: Assistant, owner: User) -> None:
    steps_workflow(owner, {"tool": "count_memories", "expect": {"value": "{result.count}", "greater_than": 3}}, PING)
    result = assistant.call(RUN, id="flow")
    assert states(result) == {"a": "failed"}
    assert result["steps"][0]["error_code"] == "UNEXPECTED_RESULT"
    assert "{result.count} is greater than 3" in result["message"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"id": "nothing"}, "There is no workflow 'nothing'"),
        ({"id": "store"}, "arguments: fact: is required"),
        ({"id": "store", "arguments": {"fact": "x", "colour": 1}}, "arguments: colour: is not an argument"),
        ({"id": "store", "arguments": {"fact": "x", "importance": "high"}}, "arguments: importance: must be a number"),
        ({"id": "talk"}, "id: the workflow talk has instructions (a)"),
        ({"id": "lost"}, "id: the step a of lost cannot be run. There is no tool teleport."),
        ({"id": "store", "on_unknown": "skip"}, "on_unknown: is only for resuming a run"),
        ({"id": "store", "run_id": "x"}, "run_id: must be an id"),
        ({"id": "store", "run_id": str(uuid.uuid4()), "dry_run": True}, "run_id: cannot be combined with dry_run"),
        ({"id": "store", "run_id": str(uuid.UUID(int=0))}, "There is no run"),
        ({"id": "x" * 10_000}, "There is no workflow"),
        ({"id": "a\x00"}, "There is no workflow"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_runs(
    assistant: Assistant, owner: User, call: dict[str, Any], said: str
) -> None:
    make_workflow(owner)
    steps_workflow(owner, {"instruction": "Ask the user."}, name="talk")
    steps_workflow(owner, {"tool": "teleport"}, name="lost")
    assert said in assistant.error_of(RUN, **call)["message"]
    assert not Run.objects.exists()


# --- Permissions


def test_a_run_can_do_only_what_its_app_may(owner: User) -> None:
    make_workflow(owner)
    memory = make_memory(owner, "Mochi is a dog")
    steps_workflow(owner, forgetting(memory), name="erase")
    reader = Assistant.of(owner, "memory:read")
    assert reader.request("tools/call", {"name": RUN, "arguments": {"id": "store"}}).status_code == 403
    writer = Assistant.of(owner, "memory:read memory:write")
    result = writer.call(RUN, id="erase")
    assert (result["state"], result["steps"][0]["error_code"]) == ("failed", "insufficient_scope")
    limited = Assistant.of(owner)
    Connection.objects.update(tools=[RUN, "ping"])
    assert "does not allow this app to use forget" in limited.error_of(RUN, id="erase")["message"]
    assert Memory.objects.filter(pk=memory.pk).exists()


def test_a_missing_scope_of_a_step_lets_the_client_step_up(owner: User) -> None:
    steps_workflow(owner, PING, {"tool": "export_memories"})
    writer = Assistant.of(owner, "memory:read memory:write")
    response = writer.request("tools/call", {"name": RUN, "arguments": {"id": "flow"}})
    assert response.status_code == 403
    assert response.json()["error"]["data"]["required_scope"] == "memory:admin"
    assert not Run.objects.exists()


def test_a_limited_app_runs_within_its_view(owner: User) -> None:
    make_memory(owner, "The kettle at home is broken", tags=("home",))
    steps_workflow(owner, {"tool": "text_search", "arguments": {"text": "kettle"}}, output="{steps.a.matches}")
    assert len(Assistant.of(owner).call(RUN, id="flow")["output"]) == 1
    assert Assistant.of(owner, tags=["work"]).call(RUN, id="flow")["output"] == []


def test_nobody_runs_or_resumes_what_another_owner_or_app_has(assistant: Assistant, owner: User) -> None:
    make_workflow(owner)
    memory = make_memory(owner, "Mochi is a dog")
    steps_workflow(owner, forgetting(memory), name="erase")
    assert assistant.error_of(RUN, id="store")["code"] == "INVALID_INPUT"
    needs_approval()
    run_id = assistant.call(RUN, id="erase")["run_id"]
    stranger, sibling = Assistant.of(make_user()), Assistant.of(owner)
    assert stranger.error_of(RUN, id="store")["code"] == "NOT_FOUND"
    for other in (stranger, sibling):
        assert other.error_of(RUN, id="erase", run_id=run_id)["code"] == "NOT_FOUND"
    assert assistant.error_of(RUN, id="store", run_id=run_id)["code"] == "NOT_FOUND"


def test_each_step_counts_against_the_rate_limit(assistant: Assistant, owner: User, settings: Settings) -> None:
    steps_workflow(owner, PING, PING, PING)
    settings.MCP_RATE_LIMIT_PER_MINUTE = 2
    result = assistant.call(RUN, id="flow")
    assert (result["state"], states(result)) == ("waiting", {"a": "done", "b": "done", "c": "waiting"})
    settings.MCP_RATE_LIMIT_PER_MINUTE = 0
    assert assistant.call(RUN, id="flow", run_id=result["run_id"])["state"] == "done"


# --- Approvals


def test_a_step_that_needs_an_approval_leaves_the_run_waiting(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "Mochi is a dog")
    steps_workflow(owner, {"tool": "remember", "arguments": {"text": "A note"}}, forgetting(memory), PING)
    needs_approval()
    result = assistant.call(RUN, id="flow")
    assert (result["state"], states(result)) == ("waiting", {"a": "done", "b": "waiting"})
    assert result["steps"][1]["error_code"] == "APPROVAL_TIMED_OUT"
    again = assistant.call(RUN, id="flow", run_id=result["run_id"])
    assert again["state"] == "waiting"
    assert approve(Approval.objects.get(), Approval.Place.PAGE)
    done = assistant.call(RUN, id="flow", run_id=result["run_id"])
    assert (done["state"], states(done)) == ("done", {"a": "done", "b": "done", "c": "done"})
    assert [memory.text for memory in Memory.objects.all()] == ["A note"]
    assert RunStep.objects.count() == 3
    repeated = assistant.call(RUN, id="flow", run_id=result["run_id"])
    assert repeated["state"] == "done"


def test_a_rejected_step_ends_the_run(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "Mochi is a dog")
    steps_workflow(owner, forgetting(memory), PING)
    needs_approval()
    result = assistant.call(RUN, id="flow")
    assert reject(Approval.objects.get(), Approval.Place.PAGE)
    ended = assistant.call(RUN, id="flow", run_id=result["run_id"])
    assert (ended["state"], ended["steps"][0]["error_code"]) == ("failed", "APPROVAL_REJECTED")
    assert Memory.objects.filter(pk=memory.pk).exists()


# --- Interruptions


class Killed(BaseException):
    """The process is killed: no handler runs."""


def kill_at(monkeypatch: pytest.MonkeyPatch, tool_call: int, *, after: bool) -> list[str]:
    """Kill the process at a tool call, counted from 1, before or after its effect. Return the tools called so far."""
    called: list[str] = []
    call = CallerTools.call

    def killing(self: CallerTools, tool: str, arguments: Any) -> Any:
        called.append(tool)
        if len(called) == tool_call and not after:
            raise Killed
        outcome = call(self, tool, arguments)
        if len(called) == tool_call:
            raise Killed
        return outcome

    monkeypatch.setattr(CallerTools, "call", killing)
    return called


def interrupted(assistant: Assistant, **call: Any) -> str:
    """Run a workflow in a process that is killed. Return the id of the run."""
    with pytest.raises(Killed):
        assistant.call(RUN, **call)
    run = Run.objects.get()
    assert run.state == "running"
    return str(run.pk)


@pytest.mark.parametrize("after", [False, True])
def test_a_tool_that_can_be_repeated_runs_again_after_a_kill(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    make_workflow(owner)
    with monkeypatch.context() as patched:
        kill_at(patched, 2, after=after)
        run_id = interrupted(assistant, id="store", arguments={"fact": "Mochi is a dog"})
    assert {step.path: step.state for step in RunStep.objects.all()} == {"first": "done", "second": "started"}
    called = kill_at(monkeypatch, 99, after=False)
    result = assistant.call(RUN, id="store", run_id=run_id)
    assert (result["state"], called) == ("done", ["remember"])
    assert Memory.objects.count() == 2


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("decision", ["repeat", "skip"])
def test_a_tool_that_cannot_be_repeated_is_reported_as_unknown(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch, after: bool, decision: str
) -> None:
    first = make_memory(owner, "Mochi is a dog")
    second = make_memory(owner, "Mochi likes tea")
    merge = {"tool": "merge_memories", "arguments": {"ids": [first.pk, second.pk], "text": "Mochi, a dog, likes tea"}}
    steps_workflow(owner, PING, {**merge, "on_error": "continue"}, PING)
    with monkeypatch.context() as patched:
        kill_at(patched, 2, after=after)
        run_id = interrupted(assistant, id="flow")
    called = kill_at(monkeypatch, 99, after=False)
    for _ in range(2):
        result = assistant.call(RUN, id="flow", run_id=run_id)
        assert (result["state"], states(result)) == ("unknown", {"a": "done", "b": "unknown"})
        assert "It is not known whether the step b was carried out" in result["message"]
    assert called == []
    result = assistant.call(RUN, id="flow", run_id=run_id, on_unknown=decision)
    assert result["state"] == "done"
    assert called == (["merge_memories", "ping"] if decision == "repeat" else ["ping"])
    expected = "skipped" if decision == "skip" else "failed" if after else "done"
    assert states(result)["b"] == expected


def test_a_run_that_takes_too_long_for_one_call_is_resumed(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps_workflow(owner, PING, PING)
    with monkeypatch.context() as patched:
        patched.setattr(execution, "RUN_SECONDS", -1.0)
        result = assistant.call(RUN, id="flow")
    assert (result["state"], result["steps"]) == ("waiting", [])
    assert assistant.call(RUN, id="flow", run_id=result["run_id"])["state"] == "done"


def test_a_run_goes_on_as_it_began_when_the_workflow_is_changed_or_deleted(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "Mochi is a dog")
    steps_workflow(owner, forgetting(memory))
    needs_approval()
    run_id = assistant.call(RUN, id="flow")["run_id"]
    delete_workflow(owner.pk, "flow")
    assert approve(Approval.objects.get(), Approval.Place.PAGE)
    assert assistant.call(RUN, id="flow", run_id=run_id)["state"] == "done"


@pytest.mark.django_db(transaction=True)
def test_two_calls_do_not_carry_out_one_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = make_user()
    assistant = Assistant.of(owner)
    steps_workflow(owner, PING)
    with monkeypatch.context() as patched:
        patched.setattr(execution, "RUN_SECONDS", -1.0)
        run_id = assistant.call(RUN, id="flow")["run_id"]
    reached, go_on = threading.Event(), threading.Event()
    call = CallerTools.call

    def slow(self: CallerTools, tool: str, arguments: Any) -> Any:
        reached.set()
        go_on.wait(10)
        return call(self, tool, arguments)

    monkeypatch.setattr(CallerTools, "call", slow)
    results: list[dict[str, Any]] = []

    def run() -> None:
        try:
            results.append(assistant.call(RUN, id="flow", run_id=run_id))
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert reached.wait(10)
    error = Assistant(assistant.token).error_of(RUN, id="flow", run_id=run_id)
    go_on.set()
    thread.join()
    assert "another call is carrying this run out" in error["message"]
    assert results[0]["state"] == "done"


# --- What stays


def test_a_run_keeps_no_text_of_a_memory_that_is_deleted_for_good(assistant: Assistant, owner: User) -> None:
    memory, other = make_memory(owner, "Mochi is a secret dog"), make_memory(owner, "Tea")
    read = {"tool": "get_memory", "arguments": {"id": memory.pk}}
    steps_workflow(owner, read, forgetting(other))
    needs_approval()
    run_id = assistant.call(RUN, id="flow")["run_id"]
    result = RunStep.objects.get(path="a").result
    assert result is not None
    assert result["memory"]["text"] == "Mochi is a secret dog"
    hard_delete_memory(actor_for(owner), memory.pk)
    assert not RunStep.objects.filter(result__isnull=False).exists()
    assert Run.objects.get().arguments is None
    result = assistant.call(RUN, id="flow", run_id=run_id)
    assert (result["state"], result["message"]) == ("failed", "A memory that this run had used was deleted for good.")


def test_unfinished_runs_expire_and_old_ones_are_deleted(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "Mochi is a dog")
    steps_workflow(owner, forgetting(memory))
    steps_workflow(owner, PING, name="quick")
    needs_approval()
    run_id = assistant.call(RUN, id="flow")["run_id"]
    assistant.call(RUN, id="quick")
    clean_up_runs()
    assert Run.objects.count() == 2
    with connection.cursor() as cursor:
        cursor.execute("UPDATE workflows_run SET updated_at = updated_at - interval '8 days'")
    clean_up_runs()
    run = Run.objects.get(pk=run_id)
    assert (run.state, run.definitions) == ("expired", None)
    assert assistant.call(RUN, id="flow", run_id=run_id)["state"] == "expired"
    with connection.cursor() as cursor:
        cursor.execute("UPDATE workflows_run SET updated_at = updated_at - interval '31 days'")
    clean_up_runs()
    assert not Run.objects.exists()


def test_an_app_has_only_so_many_unfinished_runs(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps_workflow(owner, PING)
    monkeypatch.setattr(execution, "RUN_SECONDS", -1.0)
    for _ in range(20):
        assistant.call(RUN, id="flow")
    assert assistant.error_of(RUN, id="flow")["code"] == "LIMIT_EXCEEDED"


# --- Dry run


def test_a_dry_run_says_what_would_happen_and_does_nothing(assistant: Assistant, owner: User) -> None:
    make_workflow(owner)
    steps_workflow(
        owner,
        {"workflow": "store", "arguments": {"fact": "{what}"}},
        {"tool": "ping", "when": {"value": "{what}", "equals": "nothing"}},
        {"tool": "teleport"},
        arguments=[{"name": "what"}],
    )
    result = assistant.call(RUN, id="flow", arguments={"what": "Tea is green"}, dry_run=True)
    assert (result["state"], result["dry_run"]) == ("planned", True)
    assert states(result) == {"a/first": "would_run", "a/second": "depends", "b": "would_skip", "c": "would_run"}
    first, second, _, lost = result["steps"]
    assert first["arguments"] == {"text": "Tea is green", "importance": 0.5, "dedup_policy": "insert"}
    assert second["arguments"]["text"] == "It follows from memory {steps.first.memory_id}: Tea is green"
    assert second["message"] == "If {steps.first.message} is Ok"
    assert lost["problem"] == "There is no tool teleport."
    assert not Memory.objects.exists()
    assert not Run.objects.exists()
    assert assistant.error_of(RUN, id="store", dry_run=True)["message"].startswith("fact: is required")


def test_a_result_that_cannot_be_stored_is_left_out(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps_workflow(owner, PING, PING)
    outcomes = iter([ToolOutcome({"text": "\x00"}), ToolOutcome(error_code="tool_error", message="a\x00b")])
    monkeypatch.setattr(CallerTools, "call", lambda *_: next(outcomes))
    result = assistant.call(RUN, id="flow")
    assert states(result) == {"a": "done", "b": "failed"}
    assert "result" not in result["steps"][0]
    assert result["steps"][1]["message"] == "ab"
