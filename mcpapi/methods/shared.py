"""The methods that clients call, in terms that every era shares."""

from __future__ import annotations

from collections.abc import Container, Mapping, Set
from typing import Any

from mcpapi.calls.context import Caller
from mcpapi.calls.cursors import refuse_cursor
from mcpapi.catalog import Offered, catalog
from mcpapi.methods.completion import complete
from mcpapi.methods.prompts import get_prompt, list_prompts
from mcpapi.methods.resources import list_resources, list_templates, read_resource
from mcpapi.methods.results import Method, Outcome
from mcpapi.rpc.jsonrpc import TOOL_NOT_ALLOWED, Call, Params, RpcError, invalid_params
from mcpapi.rpc.notifier import Told
from mcpapi.tools.profiles import is_shown

TOLD: Mapping[str, Any] = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "prompts": {"listChanged": True},
}
"""What is offered besides where clients can listen."""

CAPABILITIES: Mapping[str, Mapping[str, Any]] = {
    "tools/list": {"tools": {}},
    # Calls may send log messages, however clients of an era say that they want those.
    "tools/call": {"logging": {}},
    "resources/list": {"resources": {}},
    "prompts/list": {"prompts": {}},
    "completion/complete": {"completions": {}},
    "resources/subscribe": TOLD,
    "subscriptions/listen": TOLD,
}
"""By method: the server capability that it stands for."""


def capabilities(methods: Container[str]) -> dict[str, Any]:
    """The ServerCapabilities of an era that has `methods`."""
    return {name: value for method, held in CAPABILITIES.items() if method in methods for name, value in held.items()}


def list_tools(caller: Caller, params: Params) -> Outcome:
    """The tools that the caller is shown, on one page."""
    refuse_cursor("tools/list", params)
    offered = catalog()
    shown = [told for name, told in offered.tool_definitions.items() if is_shown(caller, name, offered.profiles)]
    return Outcome({"tools": shown})


def call_tool(caller: Caller, params: Params) -> Outcome:
    """Run a tool. Its failure is a result; an unknown tool, odd params or one not allowed is a protocol error."""
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise invalid_params("name must be a string: the tool to call")
    if arguments is not None and not isinstance(arguments, dict):
        raise invalid_params("arguments must be an object")
    tool = catalog().tools_by_name.get(name)
    if tool is None:
        raise invalid_params(f"there is no tool {name[:100]!r}; tools/list shows those there are")
    return Outcome(run_tool(caller, tool, arguments or {}))


def run_tool(caller: Caller, tool: Offered, arguments: Params) -> Mapping[str, Any]:
    """The CallToolResult of a tool, if the owner lets the caller use it. Raises RpcError."""
    if not caller.principal.may_call(tool.name):
        raise RpcError(
            TOOL_NOT_ALLOWED,
            f"The owner does not let this app use {tool.name}",
            reason="tool_not_allowed",
            details="tools/list shows those that it may use. The owner can change that on the page of the app.",
        )
    return tool.call(caller, arguments)


def told_by(call: Call) -> Set[Told]:
    """What the call may tell its client before its answer."""
    name = call.params.get("name") if call.method == "tools/call" else None
    tool = catalog().tools_by_name.get(name) if isinstance(name, str) else None
    return tool.tells if tool else frozenset()


SHARED: Mapping[str, Method] = {
    "tools/list": list_tools,
    "tools/call": call_tool,
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
    "completion/complete": complete,
}
"""The methods that every era has."""
