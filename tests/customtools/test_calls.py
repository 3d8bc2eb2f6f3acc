"""Tests of custom tools as tools of the protocol: arguments, failures, approvals, activity log and notifications."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pytest_django import DjangoAssertNumQueries, Settings

from common.risks import Risk
from customtools.events import CHANNEL
from customtools.models import CustomTool
from mcpapi.approvals.approval_store import approve
from mcpapi.models import Approval, AuditLine
from mcpapi.observability.audit import audit_lines
from mcpapi.subscriptions.batches import NotificationBatch
from mcpapi.tools.custom.tool import OUTPUT_SCHEMA
from oauthserver.models import Connection, User
from tests.customtools.support import logged, make_http_tool, make_tool, parameters
from tests.support.factories import Assistant, make_user
from tests.support.mcp.rest_client import RestClient, assert_refused
from tests.support.notifications import listening

SCHEMA = """
parameters = {
  type = "object",
  properties = {
    text = { type = "string", minLength = 2, maxLength = 5 },
    kind = { type = "string", enum = { "a", "b" } },
    level = { type = "integer", enum = { 1, 2 } },
    n = { type = "integer", minimum = 1, maximum = 9, default = 5 },
    x = { type = "number", maximum = 1 },
    on = { type = "boolean" },
    list = { type = "array", items = { type = "integer" }, maxItems = 2 },
    deep = { type = "object", properties = { a = { type = "string" } }, required = { "a" } },
    any = { type = "object" },
  },
  required = { "text" },
},
"""


@pytest.mark.parametrize(
    ("given", "received"),
    [
        ({}, {}),
        ({"n": "7"}, {"n": 7}),
        ({"n": 7.0}, {"n": 7}),
        ({"n": None}, {}),
        ({"x": "0.5"}, {"x": 0.5}),
        ({"on": "true"}, {"on": True}),
        ({"kind": "b", "level": "2"}, {"kind": "b", "level": 2}),
        ({"list": "[1, 2]"}, {"list": [1, 2]}),
        ({"deep": {"a": "x"}}, {"deep": {"a": "x"}}),
        ({"deep": '{"a": "x"}'}, {"deep": {"a": "x"}}),
        ({"any": {"b": [1]}}, {"any": {"b": [1]}}),
    ],
)
def test_arguments_are_understood_as_those_of_built_in_tools(
    owner: User, assistant: Assistant, given: dict[str, Any], received: dict[str, Any]
) -> None:
    make_tool(owner, "return params", declared=SCHEMA)
    assert assistant.call("attempt", text="abc", **given)["result"] == {"text": "abc", "n": 5, **received}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"text": None}, "text: "),
        ({"text": "x"}, "text: "),
        ({"text": "xxxxxx"}, "text: "),
        ({"text": 5}, "text: "),
        ({"kind": "c"}, "kind: must be 'a' or 'b'"),
        ({"level": 3}, "level: must be 1 or 2"),
        ({"n": 0}, "n: must be greater than or equal to 1"),
        ({"n": "many"}, "n: must be a valid integer"),
        ({"x": "nan"}, "x: "),
        ({"on": 1}, "on: must be a valid boolean"),
        ({"list": [1, 2, 3]}, "list: "),
        ({"list": ["x"]}, "list.0: must be a valid integer"),
        ({"deep": {}}, "deep: is required"),
        ({"deep": 1}, "deep: "),
        ({"other": 1}, "other: is not an argument of this tool"),
    ],
)
def test_a_wrong_argument_is_named(
    owner: User, assistant: Assistant, program: RestClient, given: dict[str, Any], problem: str
) -> None:
    make_tool(owner, "return params", declared=SCHEMA)
    error = assistant.error_of("attempt", **{"text": "abc", **given})
    assert error["code"] == "INVALID_INPUT"
    assert error["message"].startswith(problem)
    assert_refused(program.ask("/tools/attempt", **{"text": "abc", **given}), 400, "INVALID_INPUT")


def test_definitions_are_valid_schemas_and_results_satisfy_them(owner: User, assistant: Assistant) -> None:
    make_tool(owner, 'if params.fail then error("x") end return params', declared=parameters(fail="boolean"))
    listed = next(tool for tool in assistant.result("tools/list")["tools"] if tool["name"] == "attempt")
    for schema in (listed["inputSchema"], listed["outputSchema"]):
        Draft202012Validator.check_schema(schema)
        assert "$ref" not in str(schema)
    assert listed["outputSchema"] == OUTPUT_SCHEMA
    for arguments in ({}, {"fail": True}):
        Draft202012Validator(listed["outputSchema"]).validate(assistant.call("attempt", **arguments))


@pytest.mark.parametrize(
    ("declared", "body", "hints"),
    [
        ("", "return 1", (True, False)),
        ("", 'return context.http.post("https://api.example.com")', (False, False)),
        ('scope = "memory:write",', "return 1", (False, False)),
        ('scope = "memory:admin",', "return 1", (False, True)),
        ('risk = "risky",', "return 1", (False, True)),
    ],
)
def test_annotations_follow_the_declaration(
    owner: User, assistant: Assistant, declared: str, body: str, hints: tuple[bool, bool]
) -> None:
    make_tool(owner, body, declared=declared)
    listed = next(tool for tool in assistant.result("tools/list")["tools"] if tool["name"] == "attempt")
    annotations = listed["annotations"]
    assert (annotations["readOnlyHint"], annotations["destructiveHint"]) == hints


def test_a_script_error_is_a_result_with_its_message_and_line_only(
    owner: User, assistant: Assistant, program: RestClient
) -> None:
    make_tool(owner, 'local x = 1\nerror("the lamp is broken")')
    result = assistant.request("tools/call", {"name": "attempt", "arguments": {}}).json()["result"]
    assert result["isError"]
    error = {"code": "tool_error", "message": "line 4: the lamp is broken"}
    assert result["structuredContent"] == {"ok": False, "error": error}
    assert assert_refused(program.ask("/tools/attempt"), 500, "tool_error") == error
    assert logged(owner) == ["line 4: the lamp is broken"] * 2


def test_a_timeout_is_a_result_and_named_in_the_log(
    owner: User, assistant: Assistant, program: RestClient, caplog: pytest.LogCaptureFixture
) -> None:
    make_tool(owner, "while true do end", declared="timeout_seconds = 60,")
    error = assistant.error_of("attempt")
    assert error == {"code": "timeout", "message": "line 3: The script used more than 2 seconds of processor time."}
    assert_refused(program.ask("/tools/attempt"), 408, "timeout")
    assert "The custom tool attempt was stopped" in caplog.text
    assert logged(owner)[0] == error["message"]


def test_the_activity_log_names_custom_tools(owner: User, assistant: Assistant) -> None:
    make_tool(owner, 'if params.fail then error("x") end return 1', declared=parameters(fail="boolean"))
    assistant.call("attempt")
    assistant.call("attempt", fail=True)
    assistant.request("tools/call", {"name": "unheard_of"})
    audit_lines.flush()
    lines = AuditLine.objects.filter(method="tools/call").order_by("pk").values_list("tool", "result")
    assert list(lines) == [("attempt", "ok"), ("attempt", "tool_error"), ("(unknown)", "invalid_params")]


def test_the_rate_limit_counts_custom_tools(owner: User, assistant: Assistant, settings: Settings) -> None:
    make_tool(owner, "return 1")
    settings.MCP_RATE_LIMIT_PER_MINUTE = 1
    assert assistant.call("attempt")["ok"]
    assert assistant.request("tools/call", {"name": "attempt"}).status_code == 429


def test_built_in_tools_need_no_query_for_custom_ones(
    owner: User, assistant: Assistant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_tool(owner, "return 1")
    assistant.call("ping")
    assistant.call("attempt")
    with django_assert_num_queries(1):
        assistant.call("ping")
    # The token and the definitions.
    with django_assert_num_queries(2):
        assistant.call("attempt")


# --- Approvals


def test_the_question_about_a_risky_tool_names_no_arguments_if_there_are_none(
    owner: User, assistant: Assistant
) -> None:
    make_tool(owner, "return 1", declared='risk = "risky"')
    Connection.objects.update(approvals=[Risk.CUSTOM_TOOL])
    assistant.error_of("attempt")
    assert Approval.objects.get().summary.startswith("Run the script attempt (call ")


def test_a_risky_tool_runs_once_after_the_owner_has_approved_its_arguments(owner: User, assistant: Assistant) -> None:
    make_tool(owner, "return params", declared='risk = "risky",' + parameters(room="string"))
    Connection.objects.update(approvals=[Risk.CUSTOM_TOOL])
    assert assistant.error_of("attempt", room="hall")["code"] == "APPROVAL_TIMED_OUT"
    approval = Approval.objects.get()
    assert approval.summary.startswith('Run the script attempt with {"room":"hall"}')
    assert approve(approval, Approval.Place.PAGE)
    assert assistant.error_of("attempt", room="kitchen")["code"] == "APPROVAL_TIMED_OUT"
    assert assistant.call("attempt", room="hall")["result"] == {"room": "hall"}
    assert assistant.error_of("attempt", room="hall")["code"] == "APPROVAL_TIMED_OUT"


def test_an_approval_does_not_cover_a_changed_tool(owner: User, assistant: Assistant) -> None:
    tool = make_tool(owner, "return 1", declared='risk = "risky",')
    Connection.objects.update(approvals=[Risk.CUSTOM_TOOL])
    assistant.error_of("attempt")
    approve(Approval.objects.get(), Approval.Place.PAGE)
    CustomTool.objects.filter(pk=tool.pk).update(version=2)
    assert assistant.error_of("attempt")["code"] == "APPROVAL_TIMED_OUT"


def test_a_failed_script_is_no_error_in_the_log_of_the_server(
    owner: User, program: RestClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tool(owner, 'error("x")')
    assert program.ask("/tools/attempt").status_code == 500
    assert "Internal Server Error" not in caplog.text
    monkeypatch.setattr("mcpapi.rest.views.listed_tools", lambda caller: 1 / 0)
    assert program.send("GET", "/tools/list").status_code == 500
    assert "Internal Server Error: /tools/list" in caplog.text


def test_a_failed_run_keeps_its_approval(owner: User, assistant: Assistant) -> None:
    make_tool(owner, 'error("x")', declared='risk = "risky",')
    Connection.objects.update(approvals=[Risk.CUSTOM_TOOL])
    assistant.error_of("attempt")
    approve(Approval.objects.get(), Approval.Place.PAGE)
    assert assistant.error_of("attempt")["code"] == "tool_error"
    assert Approval.objects.get().state == Approval.State.APPROVED


def test_an_http_tool_that_changes_something_is_not_read_only(owner: User, assistant: Assistant) -> None:
    make_http_tool(owner, {"method": "POST", "url": "https://api.example.com"})
    listed = next(tool for tool in assistant.result("tools/list")["tools"] if tool["name"] == "ask_server")
    assert not listed["annotations"]["readOnlyHint"]


# --- Notifications


@pytest.mark.django_db(transaction=True)
def test_each_change_is_published_when_it_is_committed() -> None:
    user = make_user()
    with listening(CHANNEL) as heard:
        tool = make_tool(user, "return 1")
        assert [int(payload) for payload in heard()] == [user.pk]
        tool.is_enabled = False
        tool.save()
        assert [int(payload) for payload in heard()] == [user.pk]
        tool.delete()
        assert [int(payload) for payload in heard()] == [user.pk]


def test_a_notification_names_the_owner_whose_tools_changed() -> None:
    class Notice:
        channel, payload = CHANNEL, "7"

    batch = NotificationBatch.from_notifies([Notice()])  # type: ignore[list-item]  # has what is read
    assert batch.tools == {7}
