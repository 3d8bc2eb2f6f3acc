"""Agents as Lua files: a script that defines a table `agent`. It runs in the sandbox, once after each change."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from agents.file_content import FileAgent, InvalidFile, decode, read_agent
from customtools.errors import ToolError, ToolTimeout
from customtools.sandbox.declarations import declared_table

SUFFIX = ".lua"
TABLE = "agent"
LISTS = ("tools", "arguments", "messages")


def parse_lua_file(owner_id: int, file_name: str, content: bytes) -> FileAgent:
    """Return the agent in a file of an owner. Its name is that of the file without `.lua`. Raises InvalidFile."""
    text = decode(content)
    try:
        table = declared_table(owner_id, text, TABLE)
    except (ToolError, ToolTimeout) as error:
        raise InvalidFile(error.plain, error.line or None) from None
    return read_agent(file_name.removesuffix(SUFFIX), _as_data(table), partial(_line_of, text))


def _as_data(table: Any) -> dict[str, Any]:
    """Return a table as the data of a definition. An empty table of Lua is an object, also in place of a list."""
    if not isinstance(table, dict):
        raise InvalidFile(f"The table {TABLE} must have keys such as description and soul.")
    data = {key: [] if key in LISTS and value == {} else value for key, value in table.items()}
    if isinstance(data.get("arguments"), list):
        data["arguments"] = [_with_choices(argument) for argument in data["arguments"]]
    return data


def _with_choices(argument: Any) -> Any:
    has_none = isinstance(argument, dict) and argument.get("choices") == {}
    return {**argument, "choices": []} if has_none else argument


def _line_of(text: str, key: str) -> int | None:
    """Return the first line on which `key` is set; None if there is none."""
    name = re.escape(key)
    found = re.search(rf"""(?:^|[\s,;{{.])(?:{name}|\[\s*["']{name}["']\s*\])(?=\s*=(?!=))""", text)
    return None if found is None else text.count("\n", 0, found.end()) + 1
