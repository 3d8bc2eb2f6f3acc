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
from mcpapi.tools.profiles import is_shown
from mcpapi.tools.reading.fetch import fetch

BUILTINS: Mapping[str, Tool] = {"search": search, "get": replace(get, name=fetch.name)}
"""By the name in the URL. The owner's settings and the activity log use the tool's own name."""


def listed_tools(caller: Caller) -> list[Mapping[str, Any]]:
    """Return the tools that are listed for the caller, in the shape of `GET /tools/list`."""
    profiles = catalog().profiles
    own_names = {name: tool.name for name, tool in BUILTINS.items()}
    return [
        definition
        for name, definition in _definitions().items()
        if is_shown(caller, own_names.get(name, name), profiles)
    ]


@cache
def _definitions() -> Mapping[str, Mapping[str, Any]]:
    builtins = {name: tool.definition() for name, tool in BUILTINS.items()}
    return {
        name: {
            "name": name,
            "description": definition["description"],
            "builtin": True,
            "parameters": definition["inputSchema"],
        }
        for name, definition in {**catalog().tool_definitions, **builtins}.items()
    }
