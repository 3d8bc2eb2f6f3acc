"""Custom tools of a user, without pages and files."""

from __future__ import annotations

import json
from typing import Any

from customtools.models import AllowedHost, CustomTool, ToolLogLine, ToolSecret
from customtools.running.log import tool_log
from customtools.running.secrets import encrypted
from customtools.storing import ToolDraft, add_tool
from oauthserver.models import User


def make_tool(user: User, body: str, name: str = "attempt", declared: str = "") -> CustomTool:
    """Create a Lua tool that runs `body`. `declared` is more of its declaration, in Lua."""
    source = (
        f'tool = {{ name = "{name}", description = "Attempts something.", {declared} }}\n'
        f"function tool.execute(params, context)\n{body}\nend\n"
    )
    return add_tool(user.pk, ToolDraft(CustomTool.Kind.LUA, source, is_enabled=True))


def parameters(**types: str) -> str:
    """Return the declaration of optional parameters, by name and type."""
    properties = ", ".join(f'{name} = {{ type = "{kind}" }}' for name, kind in types.items())
    return f'parameters = {{ type = "object", properties = {{ {properties} }} }},'


def make_http_tool(
    user: User, request: dict[str, Any], name: str = "ask_server", types: dict[str, str] | None = None, **fields: Any
) -> CustomTool:
    """Create an HTTP tool with optional parameters of these types."""
    properties = {parameter: {"type": kind} for parameter, kind in (types or {}).items()}
    definition = {
        "name": name,
        "description": "Asks a server.",
        "parameters": {"type": "object", "properties": properties},
        "request": request,
        **fields,
    }
    return add_tool(user.pk, ToolDraft(CustomTool.Kind.HTTP, json.dumps(definition), is_enabled=True))


def allow(user: User, origin: str, *, is_private: bool = True) -> None:
    """Let the user's tools send requests to a server."""
    AllowedHost.objects.create(owner=user, origin=origin, is_private=is_private)


def make_secret(user: User, name: str, value: str) -> None:
    """Store a secret of the user's tools."""
    ToolSecret.objects.create(owner=user, name=name, encrypted_value=encrypted(value))


def logged(user: User) -> list[str]:
    """Return the lines of the user's log, oldest first."""
    tool_log.flush()
    return list(ToolLogLine.objects.filter(owner=user).order_by("at", "pk").values_list("text", flat=True))
