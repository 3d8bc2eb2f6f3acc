"""Arguments as they are typed on pages, one per line: `name* [type or choices] = default: description`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from agents.arguments import TYPES, TypedArgument, read_arguments
from common.texts import translatable
from memories.errors import InvalidInput

HELP = _(
    "One value per line: a short name, a colon and what it means, such as “topic: What it is about”. An asterisk after "
    "the name makes it required: “topic*: What it is about”. Put choices in brackets and a default after an equals "
    "sign: “tone [warm|cool] = warm: The tone”. In place of choices, a type can be given: string, integer, number, "
    "boolean or date."
)

_LINE = re.compile(
    r"(?P<name>[a-z][a-z0-9_]{0,39})(?P<required>\*?)[ \t]*"
    r"(?:\[(?P<kind>[^\]\n]*)\][ \t]*)?"
    r'(?:=[ \t]*(?P<default>"(?:[^"\\\n]|\\.)*"|[^\s:"][^\s:]*)[ \t]*)?'
    r"(?::[ \t]*(?P<description>.*))?"
)


def parse_argument_lines(typed: str) -> tuple[TypedArgument, ...]:
    """Return the arguments in `typed`. Raises InvalidInput or LimitExceeded about `arguments`."""
    return read_arguments([_parse_line(line.strip()) for line in typed.splitlines() if line.strip()])


def _parse_line(line: str) -> dict[str, Any]:
    found = _LINE.fullmatch(line)
    if found is None:
        raise InvalidInput(
            translatable(
                "“%(line)s” must have the form “name: description”. A name has at most 40 characters: "
                "lower-case letters, digits and underscores, starting with a letter.",
                line=line[:60],
            ),
            argument="arguments",
        )
    kind = (found["kind"] or "string").strip()
    declared: dict[str, Any] = {"name": found["name"], "description": found["description"] or ""}
    declared["required"] = bool(found["required"])
    if kind in TYPES:
        declared["type"] = kind
    else:
        declared["choices"] = [choice.strip() for choice in kind.split("|") if choice.strip()]
    if found["default"] is not None:
        declared["default"] = _default(found["default"])
    return declared


def _default(typed: str) -> object:
    if not typed.startswith('"'):
        return typed
    try:
        return json.loads(typed)
    except ValueError:
        raise InvalidInput(
            translatable("the default %(typed)s is not a text in quotes.", typed=typed[:60]), argument="arguments"
        ) from None


def format_argument_lines(arguments: Sequence[TypedArgument]) -> str:
    """Return `arguments` in the form in which they are typed. `parse_argument_lines` returns equal ones."""
    return "\n".join(map(_format_line, arguments))


def _format_line(argument: TypedArgument) -> str:
    line = f"{argument.name}{'*' if argument.required else ''}"
    if argument.choices:
        # One choice that is named like a type would be read as the type.
        line += f" [{'|'.join(argument.choices)}{'|' if len(argument.choices) == 1 else ''}]"
    elif argument.type != "string":
        line += f" [{argument.type}]"
    if argument.default is not None:
        line += f" = {json.dumps(argument.default, ensure_ascii=False)}"
    return f"{line}: {argument.description}" if argument.description else line
