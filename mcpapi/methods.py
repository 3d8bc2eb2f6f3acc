"""The methods that clients call, in terms that every era shares."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from mcpapi.catalog import catalog
from mcpapi.context import Caller
from mcpapi.jsonrpc import Params, invalid_params
from mcpapi.outcomes import Outcome

CAPABILITIES: Mapping[str, Mapping[str, Any]] = {
    "tools/list": {"tools": {"listChanged": False}},
    "logging/setLevel": {"logging": {}},
}
"""By method: the server capability that it stands for."""


def capabilities(methods: Container[str]) -> dict[str, Any]:
    """The ServerCapabilities of an era that has `methods`."""
    return {name: value for method, held in CAPABILITIES.items() if method in methods for name, value in held.items()}


def ping(caller: Caller, params: Params) -> Outcome:
    """A sign of life."""
    return Outcome({})


def list_tools(caller: Caller, params: Params) -> Outcome:
    """All tools, on one page."""
    if params.get("cursor") is not None:
        raise invalid_params("cursor: tools/list has one page only; leave the cursor out")
    return Outcome({"tools": catalog().tool_definitions})


def call_tool(caller: Caller, params: Params) -> Outcome:
    """Run a tool. Its failure is a result; only an unknown tool, odd params or a missing scope is a protocol error."""
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise invalid_params("name must be a string: the tool to call")
    if arguments is not None and not isinstance(arguments, dict):
        raise invalid_params("arguments must be an object")
    tool = catalog().tools_by_name.get(name)
    if tool is None:
        raise invalid_params(f"there is no tool {name[:100]!r}; tools/list shows those there are")
    return Outcome(tool.call(caller, arguments or {}))
