"""The methods `tools/list` and `tools/call`."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from common.scopes import READ
from mcpapi.calls.budgets import count_characters, embedding_spent_by, spend_call, spend_result
from mcpapi.calls.caller import Caller
from mcpapi.calls.cursors import refuse_cursor
from mcpapi.catalog import CatalogTool, catalog
from mcpapi.rpc.jsonrpc import TOOL_NOT_ALLOWED, Call, Params, RpcError, invalid_params
from mcpapi.rpc.notifier import NotificationKind
from mcpapi.tools.custom.lookup import custom_tools, find_custom_tool
from mcpapi.tools.profiles import is_custom_shown, is_shown


def list_tools(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Return the tools that are listed for the caller, on one page."""
    refuse_cursor("tools/list", params)
    offered = catalog()
    shown = [
        definition for name, definition in offered.tool_definitions.items() if is_shown(caller, name, offered.profiles)
    ]
    custom = [
        tool.definition() for tool in custom_tools(caller.principal.owner_id) if is_custom_shown(caller, tool.name)
    ]
    return {"tools": [*shown, *custom]}


def call_tool(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Run a tool. Its failure is a result. Raises RpcError for an unknown or forbidden tool and for invalid params."""
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise invalid_params("name must be a string: the tool to call")
    if arguments is not None and not isinstance(arguments, dict):
        raise invalid_params("arguments must be an object")
    tool = find_tool(caller, name)
    if tool is None:
        raise invalid_params(f"there is no tool {name[:100]!r}; tools/list shows the available tools")
    return run_tool(caller, tool, arguments or {})


def find_tool(caller: Caller, name: str) -> CatalogTool | None:
    """Return the tool of this name, built-in or one of the caller's owner. Built-in ones need no query."""
    return catalog().tools_by_name.get(name) or find_custom_tool(caller.principal.owner_id, name)


def run_tool(caller: Caller, tool: CatalogTool, arguments: Params) -> Mapping[str, Any]:
    """Return the CallToolResult of a tool that the owner allows the caller. Raises RpcError.

    It is counted against the owner's budgets.
    """
    require_allowed(caller, tool.name)
    is_dry_run = bool(arguments.get("dry_run")) and tool.name in catalog().tools_by_name
    is_write = tool.scope != READ and not is_dry_run
    spend_call(caller, is_write=is_write)
    with embedding_spent_by(caller):
        result = tool.call(caller, arguments)
    spend_result(caller, count_characters(result["content"]), is_write=is_write)
    return result


def require_allowed(caller: Caller, tool: str) -> None:
    """Raise RpcError unless the owner allows the caller to use the tool of this name."""
    if not caller.principal.can_call(tool):
        raise RpcError(
            TOOL_NOT_ALLOWED,
            f"The owner does not allow this app to use {tool}",
            reason="tool_not_allowed",
            details="tools/list shows the tools that it may use. The owner can change that on the page of the app.",
        )


def notification_kinds(call: Call) -> Set[NotificationKind]:
    """Return the kinds of notifications that the call may send before its response."""
    name = call.params.get("name") if call.method == "tools/call" else None
    tool = catalog().tools_by_name.get(name) if isinstance(name, str) else None
    return tool.notifications if tool else frozenset()
