"""Tests of tools in files: from the file to a call at `/mcp` and in REST, and what a broken file does."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from customtools.models import CustomTool
from mcpapi.subscriptions import hub as hub_module
from mcpapi.subscriptions.hub import Listener, hub
from oauthserver.models import User
from oauthserver.resource_server.principal import Principal
from tests.customtools.local_server import local_server
from tests.customtools.support import allow
from tests.support.factories import Assistant
from tests.support.mcp.rest_client import RestClient, assert_refused

GREET = """
tool = {
  name = "greet",
  description = "Greets somebody by name.",
  parameters = {
    type = "object",
    properties = { name = { type = "string", description = "Who to greet." } },
    required = { "name" },
  },
}

function tool.execute(params, context)
  return { greeting = "Hello, " .. params.name }
end
"""


def names_listed(assistant: Assistant) -> set[str]:
    return {tool["name"] for tool in assistant.result("tools/list")["tools"]}


def test_a_file_becomes_a_tool_that_mcp_and_rest_list_and_call(
    tools_folder: Path, assistant: Assistant, program: RestClient
) -> None:
    (tools_folder / "greet.lua").write_text(GREET)
    listed = {tool["name"]: tool for tool in assistant.result("tools/list")["tools"]}
    assert listed["greet"]["_meta"] == {"ownsona/builtin": False}
    assert listed["greet"]["inputSchema"] == {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "Who to greet."}},
        "required": ["name"],
        "additionalProperties": False,
    }
    assert assistant.call("greet", name="Ada") == {"ok": True, "result": {"greeting": "Hello, Ada"}}
    shown = {tool["name"]: tool for tool in program.get("/tools/list")["tools"]}
    assert shown["greet"] == {
        "name": "greet",
        "description": "Greets somebody by name.",
        "builtin": False,
        "parameters": listed["greet"]["inputSchema"],
    }
    assert program.post("/tools/greet", name="Ada") == {"result": {"greeting": "Hello, Ada"}}


def test_a_change_of_a_file_is_used_at_the_next_call(tools_folder: Path, assistant: Assistant) -> None:
    path = tools_folder / "greet.lua"
    path.write_text(GREET)
    assert assistant.call("greet", name="Ada")["result"] == {"greeting": "Hello, Ada"}
    path.write_text(GREET.replace("Hello", "Good morning"))
    assert assistant.call("greet", name="Ada")["result"] == {"greeting": "Good morning, Ada"}


def test_a_broken_file_keeps_the_previous_definition_and_names_the_line(
    tools_folder: Path, assistant: Assistant
) -> None:
    path = tools_folder / "greet.lua"
    path.write_text(GREET)
    assert "greet" in names_listed(assistant)
    path.write_text(GREET + "\nlocal x = = 1\n")
    assert assistant.call("greet", name="Ada")["result"] == {"greeting": "Hello, Ada"}
    row = CustomTool.objects.get()
    assert row.problem == "source: line 16: unexpected symbol near '='"
    assert row.problem_line == 16
    path.write_text(GREET)
    assert "greet" in names_listed(assistant)
    assert CustomTool.objects.get().problem == ""


def test_a_file_that_was_never_valid_is_not_listed(tools_folder: Path, assistant: Assistant) -> None:
    (tools_folder / "greet.lua").write_text("tool = {")
    assert "greet" not in names_listed(assistant)
    assert "line 1" in CustomTool.objects.get().problem


def test_a_deleted_file_is_no_tool_any_more(tools_folder: Path, assistant: Assistant, program: RestClient) -> None:
    path = tools_folder / "greet.lua"
    path.write_text(GREET)
    assert "greet" in names_listed(assistant)
    path.unlink()
    assert "greet" not in names_listed(assistant)
    assert not CustomTool.objects.exists()
    assert_refused(program.ask("/tools/greet", name="Ada"), 404, "not_found")


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (GREET.replace('"greet"', '"recall"'), "name: recall is a built-in tool. Choose another name."),
        (GREET.replace('"greet"', '"Greet me"'), "name: must have 2 to 48 lower-case letters"),
        (GREET.replace("description", "about", 1), "about: is not known."),
        (GREET.replace('"string"', '"text"'), "parameters.properties.name.type: must be one of string"),
        (GREET.replace('required = { "name" }', 'required = { "who" }'), "parameters.required: “who” is not one"),
        (GREET.replace("execute", "run"), "source: tool.execute must be a function"),
        (GREET.replace("tool = {", "tools = {", 1), "source: line 12: attempt to index a nil value"),
        ("while true do end", "source: line 1: The script used more than 2 seconds of processor time."),
        (b"\xff\xfe", "The file is not a text in UTF-8."),
        ("x = 'ghp_" + "a1B2" * 9 + "'", "source: this seems to contain"),
    ],
)
def test_the_problem_of_a_file_says_what_to_fix(
    tools_folder: Path, assistant: Assistant, source: str | bytes, problem: str
) -> None:
    (tools_folder / "greet.lua").write_bytes(source if isinstance(source, bytes) else source.encode())
    assert "greet" not in names_listed(assistant)
    assert CustomTool.objects.get().problem.startswith(problem)


def test_a_link_to_nothing_leaves_the_other_files_alone(tools_folder: Path, assistant: Assistant) -> None:
    (tools_folder / "greet.lua").write_text(GREET)
    assert assistant.call("greet", name="Ada")["ok"]
    (tools_folder / "lost.lua").symlink_to(tools_folder / "nowhere")
    (tools_folder / "folder.lua").mkdir()
    assert assistant.call("greet", name="Ada")["ok"]
    assert CustomTool.objects.get().problem == ""


def test_two_files_cannot_have_the_same_name(tools_folder: Path, assistant: Assistant) -> None:
    (tools_folder / "a.lua").write_text(GREET)
    (tools_folder / "b.lua").write_text(GREET)
    assert "greet" in names_listed(assistant)
    problems = dict(CustomTool.objects.values_list("file_name", "problem"))
    assert problems == {"a.lua": "", "b.lua": "name: greet is the name of the tool in a.lua, too."}


def test_a_file_that_is_deleted_during_a_call_does_not_end_it(
    tools_folder: Path, owner: User, assistant: Assistant
) -> None:
    path = tools_folder / "greet.lua"

    def delete() -> bytes:
        path.unlink()
        return b"deleted"

    with local_server() as server:
        allow(owner, server.origin)
        server.respond_in_test("/now", delete)
        asks = f'params.name = context.http.get("{server.origin}/now").body return {{'
        path.write_text(GREET.replace("return {", asks))
        assert assistant.call("greet", name="Ada")["result"] == {"greeting": "Hello, deleted"}
    assert assistant.rpc_error("tools/call", name="greet")["code"] == -32602


@pytest.mark.django_db(transaction=True)
def test_a_stream_is_told_of_a_changed_file(tools_folder: Path, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "FILES_CHECK_SECONDS", 0.0)
    listener = CountingListener(owner)
    hub.join(listener)
    try:
        (tools_folder / "greet.lua").write_text(GREET)
        assert listener.heard.wait(60)
    finally:
        hub.leave(listener)
        hub.stop(60)
    assert CustomTool.objects.get().name == "greet"


class CountingListener(Listener):
    """A stream of an app of the owner."""

    def __init__(self, owner: User) -> None:
        self.principal = Principal(
            owner.pk, "app", "App", frozenset(), (), (), "all", quarantine=False, permission=None
        )
        self.heard = threading.Event()

    def on_tools_changed(self) -> None:
        self.heard.set()
