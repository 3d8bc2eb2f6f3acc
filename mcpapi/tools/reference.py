"""The reference of all tools for people, made from the registry: docs/tools.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mcpapi.tools import TOOLS
from mcpapi.tools.base import Tool

HEAD = """# Tools

What an assistant can call. This page is generated: `manage.py write_tool_reference` writes it anew.

Every answer is a JSON object, once as text and once as structured content. It begins with `ok`; when that is false,
`error` has a stable `code` and a `message` that names what was wrong. Times are ISO 8601 with a zone. An optional
argument that is `null` counts as not given.
"""


def tool_reference() -> str:
    """The whole page, in Markdown."""
    return "\n".join([HEAD, *(line for tool in TOOLS for line in _section(tool))])


def _section(tool: Tool) -> Iterator[str]:
    definition = tool.definition()
    yield f"## {tool.name}\n\n{tool.description}\n\nScope: `{tool.scope}`.\n"
    arguments = definition["inputSchema"]["properties"]
    if arguments:
        required = definition["inputSchema"]["required"]
        yield "| argument | type | what |\n|---|---|---|"
        yield from (_row(name, schema, name in required) for name, schema in arguments.items())
        yield ""
    answer = ", ".join(f"`{name}`" for name in definition["outputSchema"]["properties"] if name not in {"ok", "error"})
    yield f"Answers with {answer}.\n"


def _row(name: str, schema: dict[str, Any], is_required: bool) -> str:
    shown = f"**{name}**" if is_required else name
    default = schema.get("default")
    suffix = "" if default in (None, [], "") else f" Default: {default}."
    return f"| {shown} | {_type(schema)} | {schema['description']}{suffix} |".replace("\n", " ")


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"] if option.get("type") != "null")
    if "enum" in schema or "const" in schema:
        return " / ".join(str(value) for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    return "time" if schema.get("format") == "date-time" else str(schema.get("type", "any"))
