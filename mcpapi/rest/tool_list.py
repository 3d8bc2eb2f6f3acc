"""The tools of the REST API: all tools of the catalog, with `search` and `get` in shapes of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from mcpapi.calls.caller import Caller
from mcpapi.catalog import catalog
from mcpapi.rest.get import get
from mcpapi.rest.search import search
from mcpapi.tools.base import Tool
from mcpapi.tools.custom.lookup import custom_tools
from mcpapi.tools.profiles import is_custom_shown, is_shown
from mcpapi.tools.reading.fetch import fetch

BUILTINS: Mapping[str, Tool] = {"search": search, "get": replace(get, name=fetch.name)}
"""By the name in the URL. The owner's settings and the activity log use the tool's own name."""


def listed_tools(caller: Caller) -> list[Mapping[str, Any]]:
    """Return the tools that are listed for the caller, in the shape of `GET /tools/list`."""
    profiles = catalog().profiles
    own_names = {name: tool.name for name, tool in BUILTINS.items()}
    builtins = [
        definition
        for name, definition in _definitions().items()
        if is_shown(caller, own_names.get(name, name), profiles)
    ]
    custom = [
        tool.definition() for tool in custom_tools(caller.principal.owner_id) if is_custom_shown(caller, tool.name)
    ]
    return [*builtins, *(_in_shape(definition, is_builtin=False) for definition in custom)]


@cache
def _definitions() -> Mapping[str, Mapping[str, Any]]:
    builtins = {name: tool.definition() for name, tool in BUILTINS.items()}
    return {
        name: _in_shape({**definition, "name": name}, is_builtin=True)
        for name, definition in {**catalog().tool_definitions, **builtins}.items()
    }


def _in_shape(definition: Mapping[str, Any], *, is_builtin: bool) -> Mapping[str, Any]:
    return {
        "name": definition["name"],
        "description": definition["description"],
        "builtin": is_builtin,
        # Clients of the interface expect both keys, also of a tool without arguments.
        "parameters": {"properties": {}, "required": [], **definition["inputSchema"]},
    }
