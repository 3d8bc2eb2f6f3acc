"""Tests of workflows whose steps call custom tools: the rules are those of a call by the app itself."""

from __future__ import annotations

from typing import Any

import pytest

from common.risks import Risk
from customtools.models import CustomTool
from mcpapi.approvals.approval_store import approve
from mcpapi.models import Approval
from mcpapi.tools.workflows.tool_runner import CallerTools
from memories.models import Memory
from memories.validation.secrets.kinds import Kind
from memories.writing.hidden_values import keep_kinds
from memories.writing.lifecycle import hard_delete_memory
from oauthserver.models import Connection, User
from tests.customtools.support import make_tool, parameters
from tests.mcpapi.tools.workflows.test_run_workflow import RUN, interrupted, kill_at, states
from tests.support.factories import Assistant, actor_for, make_memory, make_user
from tests.workflows.support import steps_workflow
from workflows.models import Run, RunStep

STEP = {"tool": "attempt"}
WRITE = 'scope = "memory:write",'


def test_a_step_calls_a_custom_tool_and_the_next_one_uses_its_result(assistant: Assistant, owner: User) -> None:
    make_tool(owner, "return { doubled = params.number * 2 }", declared=parameters(number="integer"))
    steps_workflow(
        owner,
        {**STEP, "arguments": {"number": "{number}"}, "expect": {"value": "{result.ok}", "equals": True}},
        {"tool": "ping", "arguments": {"message": "It is {steps.a.result.doubled}"}},
        arguments=[{"name": "number", "type": "integer"}],
        output="{steps.b.message}",
    )
    result = assistant.call(RUN, id="flow", arguments={"number": 21})
    assert (result["state"], result["output"]) == ("done", "It is 42")


def test_a_failed_script_ends_the_run_with_its_message_and_line(assistant: Assistant, owner: User) -> None:
    make_tool(owner, 'error("the lamp is broken")')
    steps_workflow(owner, STEP, {"tool": "ping"})
    result = assistant.call(RUN, id="flow")
    assert (result["state"], states(result)) == ("failed", {"a": "failed"})
    assert (result["steps"][0]["error_code"], result["steps"][0]["message"]) == (
        "tool_error",
        "line 3: the lamp is broken",
    )


def test_a_dry_run_checks_custom_tools_and_calls_none(assistant: Assistant, owner: User) -> None:
    make_tool(owner, 'context.remember("x") return 1', declared=WRITE + parameters(number="integer"))
    steps_workflow(owner, {**STEP, "arguments": {"number": 1}}, {"tool": "of_nobody"})
    result = assistant.call(RUN, id="flow", dry_run=True)
    assert states(result) == {"a": "would_run", "b": "would_run"}
    assert ("problem" in result["steps"][0], result["steps"][0]["arguments"]) == (False, {"number": 1})
    assert result["steps"][1]["problem"] == "There is no tool of_nobody."
    assert not Memory.objects.exists()
    reader = Assistant.of(owner, "memory:read memory:write")
    Connection.objects.update(tools=[RUN, "ping"])
    problem = reader.call(RUN, id="flow", dry_run=True)["steps"][0]["problem"]
    assert problem == "The owner does not allow this app to use attempt."


def test_the_allowed_tools_of_the_app_apply(assistant: Assistant, owner: User) -> None:
    make_tool(owner, 'context.remember("x") return 1', declared=WRITE)
    steps_workflow(owner, STEP)
    Connection.objects.update(tools=[RUN])
    error = assistant.error_of(RUN, id="flow")
    assert "The owner does not allow this app to use attempt." in error["message"]
    Connection.objects.update(tools=[RUN, "attempt"])
    assert assistant.call(RUN, id="flow")["state"] == "done"
    assert Memory.objects.count() == 1


def test_a_missing_scope_of_a_custom_tool_lets_the_client_step_up(owner: User) -> None:
    make_tool(owner, "return 1", declared='scope = "memory:admin",')
    steps_workflow(owner, STEP)
    writer = Assistant.of(owner, "memory:read memory:write")
    response = writer.request("tools/call", {"name": RUN, "arguments": {"id": "flow"}})
    assert (response.status_code, response.json()["error"]["data"]["required_scope"]) == (403, "memory:admin")
    assert writer.call(RUN, id="flow", dry_run=True)["steps"][0]["problem"] == "It needs the scope memory:admin."
    assert not Run.objects.exists()


def test_what_a_script_of_a_limited_app_stores_has_its_tag(owner: User) -> None:
    make_tool(owner, 'return context.remember("The dog is called Rex.").memory_id', declared=WRITE)
    steps_workflow(owner, STEP)
    assert Assistant.of(owner, tags=["pets"]).call(RUN, id="flow")["state"] == "done"
    assert Memory.objects.get().tags == ["pets"]


def test_a_risky_custom_tool_waits_for_the_approval(assistant: Assistant, owner: User) -> None:
    make_tool(owner, 'context.remember("x") return 1', declared=WRITE + 'risk = "risky",')
    steps_workflow(owner, {"tool": "ping"}, STEP)
    Connection.objects.update(approvals=[Risk.CUSTOM_TOOL])
    result = assistant.call(RUN, id="flow")
    assert (result["state"], states(result)) == ("waiting", {"a": "done", "b": "waiting"})
    assert not Memory.objects.exists()
    assert approve(Approval.objects.get(), Approval.Place.PAGE)
    done = assistant.call(RUN, id="flow", run_id=result["run_id"])
    assert (done["state"], Memory.objects.count()) == ("done", 1)


def test_the_custom_tool_of_another_owner_does_not_exist(assistant: Assistant, owner: User) -> None:
    make_tool(make_user(), "return 1")
    steps_workflow(owner, STEP)
    assert "There is no tool attempt." in assistant.error_of(RUN, id="flow")["message"]
    assert assistant.call(RUN, id="flow", dry_run=True)["steps"][0]["problem"] == "There is no tool attempt."


def test_a_custom_tool_that_is_deleted_during_a_run_fails_its_step(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tool(owner, "return 1")
    steps_workflow(owner, {"tool": "ping"}, STEP)
    call = CallerTools.call

    def deleting(self: CallerTools, tool: str, arguments: Any) -> Any:
        CustomTool.objects.all().delete()
        return call(self, tool, arguments)

    monkeypatch.setattr(CallerTools, "call", deleting)
    result = assistant.call(RUN, id="flow")
    assert (result["state"], states(result)) == ("failed", {"a": "done", "b": "failed"})
    assert "there is no tool 'attempt'" in result["steps"][1]["message"]


@pytest.mark.parametrize(
    ("body", "state"),
    [("return 1", "done"), ('pcall(context.http.post, "https://api.example.com") return 1', "unknown")],
)
def test_after_a_kill_only_a_script_that_changes_nothing_runs_again(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch, body: str, state: str
) -> None:
    make_tool(owner, body)
    steps_workflow(owner, STEP)
    with monkeypatch.context() as patched:
        kill_at(patched, 1, after=True)
        run_id = interrupted(assistant, id="flow")
    assert assistant.call(RUN, id="flow", run_id=run_id)["state"] == state


def test_a_run_keeps_no_text_that_a_script_has_read_of_a_deleted_memory(assistant: Assistant, owner: User) -> None:
    memory, other = make_memory(owner, "Mochi is a secret dog"), make_memory(owner, "Tea")
    make_tool(owner, f'return context.get("{memory.pk}").text')
    steps_workflow(owner, STEP, {"tool": "forget", "arguments": {"id": other.pk, "hard_delete": True}})
    Connection.objects.update(approvals=[Risk.HARD_DELETE])
    assert assistant.call(RUN, id="flow")["state"] == "waiting"
    assert RunStep.objects.get(path="a").result == {"ok": True, "result": "Mochi is a secret dog"}
    hard_delete_memory(actor_for(owner), memory.pk)
    assert not RunStep.objects.filter(result__isnull=False).exists()


def test_a_workflow_and_a_script_cannot_store_a_secret(assistant: Assistant, owner: User) -> None:
    keep_kinds(owner.pk, list(Kind))
    make_tool(
        owner,
        'return context.remember("The alarm code is " .. params.code)',
        declared=WRITE + parameters(code="string"),
    )
    steps_workflow(
        owner, {"tool": "remember", "arguments": {"text": "The alarm code is {code}"}}, arguments=[{"name": "code"}]
    )
    run = assistant.call(RUN, id="flow", arguments={"code": "471183"})
    assert run["steps"][0]["error_code"] == "SECRET_REJECTED"
    steps_workflow(owner, {**STEP, "arguments": {"code": "{code}"}}, arguments=[{"name": "code"}], name="script")
    run = assistant.call(RUN, id="script", arguments={"code": "471183"})
    assert "Secrets are never stored" in run["steps"][0]["message"]
    assert not Memory.objects.exists()
