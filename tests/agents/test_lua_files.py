"""Tests of agents as Lua files."""

from __future__ import annotations

import pytest

from agents.definitions import read_definition
from agents.file_content import InvalidFile
from agents.lua_files import parse_lua_file
from tests.agents.support import REVIEWER

OWNER_ID = 1
WHOLE = """
local severities = {}
for level = 1, 2 do
  severities[#severities + 1] = "P" .. level
end

return {
  title = "Reviewer",
  description = "Reviews an incident.",
  soul = [[You review incidents of {service} calmly.]],
  tools = { "recall", "search_documents" },
  config = { temperature = 0.2, model = "any" },
  arguments = {
    { name = "service", description = "The service.", required = true },
    { name = "severity", description = "How bad.", choices = severities, default = "P2" },
  },
  messages = {
    { role = "system", content = "Be brief." },
    { role = "user", content = "{severity} in {service}.\\n{memories:service}" },
    { role = "assistant", content = "Understood." },
  },
}
"""


def test_a_script_declares_everything_that_an_agent_has() -> None:
    agent = parse_lua_file(OWNER_ID, "reviewer.lua", WHOLE.encode())
    assert (agent.name, agent.definition, agent.is_enabled) == ("reviewer", read_definition(REVIEWER), True)


def test_an_empty_table_is_an_empty_list_where_a_list_is_expected() -> None:
    content = b"""agent = { description = "x", soul = "y", tools = {}, messages = {}, config = {},
        arguments = { { name = "a", choices = {} } } }"""
    definition = parse_lua_file(OWNER_ID, "a.lua", content).definition
    assert (definition.tools, definition.messages, definition.config) == ((), (), {})
    assert definition.arguments[0].choices == ()
    assert parse_lua_file(OWNER_ID, "a.lua", content.replace(b'{ { name = "a", choices = {} } }', b"{}"))


@pytest.mark.parametrize(
    ("content", "said", "line"),
    [
        (b"agent = {\n  soul = ,\n}", "unexpected symbol near ','", 2),
        (b'local x = 1\nerror("no agent today")', "no agent today", 2),
        (b"local x = nil\n\nx.y = 1", "attempt to index a nil value (local 'x')", 3),
        (b'agent = {\n  description = "x",\n  soul = "",\n}', "soul: is required", 3),
        (b'agent = {}\nagent.description = "x"\nagent.soul = "{z}"', "soul: {z} is not an argument", 3),
        (b'agent = { description = "x", soul = "y",\n  ["tools"] = "recall" }', "tools: must be a list", 2),
        (b'agent = { description = "x", soul = "y",\n colour = "red" }', "colour: is unknown", 2),
        (b'agent = {\n description = "x", soul = "y", name = "other" }', "name: must be the name of the file", 2),
        (b'agent = { description = "x", soul = "y",\n enabled = "no" }', "enabled: must be true or false", 2),
        (b'agent = { soul = "y" }', "description: is required", None),
        (b'agent = { description = "x", soul = function() end }', "The table agent contains a function", None),
        (b'agent = { description = "x", soul = "y" }\nagent.config = agent', "or contains itself", None),
        (b"agent = { 1, 2 }", "must have keys such as description and soul", None),
        (b"agents = {}", "the script must define a table named agent, or return one", None),
        (b"", "the script must define a table named agent, or return one", None),
        (b'agent = { description = "x", soul = "\xff" }', "The file is not UTF-8", 1),
        (b'agent = { description = "x", soul = "\\255" }', "contains a text that is not UTF-8", None),
        (b"x" * 600_000, "more than 500000 bytes", None),
        (b"\x1bLua", "attempt to load a binary chunk", None),
        (b'agent = { description = "x", soul = "sk-abcdefghijklmnopqrstuvwx" }', "Secrets are never stored", 1),
    ],
)
def test_an_error_is_named_with_its_line(content: bytes, said: str, line: int | None) -> None:
    with pytest.raises(InvalidFile) as caught:
        parse_lua_file(OWNER_ID, "reviewer.lua", content)
    assert said in caught.value.problem
    assert caught.value.line == line


@pytest.mark.parametrize(
    "expression",
    [
        'io.open("/etc/passwd")',
        'os.getenv("HOME")',
        'require("os")',
        'load("return 1")',
        "debug.getinfo(1)",
        "python.builtins",
        'context.recall("x")',
        'context.secret("x")',
        "collectgarbage()",
    ],
)
def test_a_script_has_neither_files_nor_a_context(expression: str) -> None:
    content = f'agent = {{ description = "x", soul = tostring({expression}) }}'
    with pytest.raises(InvalidFile, match=r"attempt to (call|index) a nil value") as caught:
        parse_lua_file(OWNER_ID, "reviewer.lua", content.encode())
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("while true do end", "more than 2 seconds of processor time"),
        ("local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end", "more than 32 MB of memory"),
        ("for i = 1, 1e9 do print(i) end", "The script logged more than 200 lines"),
    ],
)
def test_a_script_that_uses_too_much_is_stopped(script: str, said: str) -> None:
    with pytest.raises(InvalidFile, match=said):
        parse_lua_file(OWNER_ID, "reviewer.lua", script.encode())
    assert parse_lua_file(OWNER_ID, "reviewer.lua", WHOLE.encode()).name == "reviewer"


@pytest.mark.parametrize("name", ["Reviewer.lua", "a b.lua", ".lua"])
def test_a_file_needs_the_name_of_an_agent(name: str) -> None:
    with pytest.raises(InvalidFile, match="name: must have at most 64 characters"):
        parse_lua_file(OWNER_ID, name, WHOLE.encode())
