"""The reference of all tools for people, docs/tools.md, generated from the registry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from mcpapi.tools import TOOLS
from mcpapi.tools.base import Tool
from mcpapi.tools.profiles import PROFILES

HEAD = """# Tools

What an assistant can call. This page is generated: `manage.py write_tool_reference` writes it anew.

Every answer is a JSON object, once as text and once as structured content. It begins with `ok`; when that is false,
`error` has a stable `code` and a `message` that names what was wrong. Times are ISO 8601 with a zone, such as
`2026-11-01T00:00:00Z`. An optional argument that is `null` counts as not given.

What else can mean one thing only is understood, too: a number or a boolean as a string (`"2"`, `"true"`), one value
where a list is wanted (`"pets"`, `"pets, home"`), a list or an object as JSON in a string. A date counts as the end of
its day in `expires_at` and `until`, and as its beginning elsewhere; days, and times without a zone, are those of
[`OWNSONA_TIME_ZONE`](configuration.md#the-owner). A number where a text is wanted remains an error
([why](decisions/tool-arguments.md)). An app that is limited to exactly one tag need not send it.

A memory is made when it is remembered. What is older than that comes with its own `created_at` by an
[import](import-export.md).

Some tags stand for another one from the start, so that a topic is not told apart by its spelling: `book` and `books`
become `publishing`, `job` becomes `work`. The list is the page *Tag synonyms* of the owner's pages; it is yours to
change, and what is removed there stays as it is written.
"""
PROFILES_HEAD = """## Profiles

Every assistant pays for the list of tools in every conversation. A profile keeps the list short; what it leaves out
still works for those who call it by name. Unless you choose one on the page of the app, an app that may erase and
export is shown all tools, and any other the core.

| profile | tools | a model reads | the whole list |
|---|---|---|---|"""
PROFILES_FOOT = """
A model reads name, description and arguments; a token is taken for four bytes of them. The whole list has titles, hints
and the schemas of answers, too, which clients keep to themselves.

On the page of an app or a token you can also name the tools that it may use, such as `recall, *_memory`. It sees and
calls only those, whatever its profile; a call of another one is refused (-32000, `tool_not_allowed`).
"""
READ_BY_MODELS = ("name", "description", "inputSchema")
BYTES_PER_TOKEN = 4


def tool_reference() -> str:
    """Return the whole page in Markdown."""
    return "\n".join([HEAD, *_profiles(), *(line for tool in TOOLS for line in _section(tool))])


def _profiles() -> Iterator[str]:
    yield PROFILES_HEAD
    for name, shown in [*PROFILES.items(), ("all", {tool.name for tool in TOOLS})]:
        definitions = [tool.definition() for tool in TOOLS if tool.name in shown]
        read = [{key: definition[key] for key in READ_BY_MODELS} for definition in definitions]
        tokens = round(_bytes(read) / BYTES_PER_TOKEN, -2)
        yield (
            f"| `{name}` | {len(shown)} | {_bytes(read) / 1000:.1f} kB, about {tokens:,.0f} tokens "
            f"| {_bytes(definitions) / 1000:.1f} kB |"
        )
    yield PROFILES_FOOT


def _bytes(definitions: list[dict[str, Any]]) -> int:
    return len(orjson.dumps(definitions))


def _section(tool: Tool) -> Iterator[str]:
    definition = tool.definition()
    profiles = ", ".join(f"`{name}`" for name, shown in PROFILES.items() if tool.name in shown) or "`all` only"
    yield f"## {tool.name}\n\n{tool.description}\n\nScope: `{tool.scope}`. Profile: {profiles}.\n"
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
