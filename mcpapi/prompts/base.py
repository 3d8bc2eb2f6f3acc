"""The definition of a prompt: messages that users send to their assistant by name (MCP, server/prompts)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcpapi.calls.caller import Caller
from mcpapi.rpc.jsonrpc import invalid_params
from memories.validation.text import check_storable

MAX_VALUE_CHARS = 2_000
COMPLETED_FROM_TAGS = frozenset({"tag", "tags", "topic"})
"""Arguments with these names are completed from the tags in use."""

Message = Mapping[str, Any]
Arguments = Mapping[str, str]


def text_message(text: str, role: str = "user") -> Message:
    """Return a message of one text. `role` is user or assistant."""
    return {"role": role, "content": {"type": "text", "text": text}}


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that the user can fill in. `choices` are offered while it is typed; without any, all texts are."""

    name: str
    description: str
    required: bool = False
    choices: Sequence[str] = ()

    def definition(self) -> dict[str, Any]:
        """Return the argument as `prompts/list` shows it."""
        return {"name": self.name, "description": self.description, "required": self.required}


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages with placeholders, and the arguments that fill them. `render` gets the arguments that are not empty.

    It raises InvalidInput for a value that it cannot use, and may ask the caller for more.
    """

    name: str
    title: str
    description: str
    arguments: Sequence[Argument]
    render: Callable[[Caller, Arguments], Sequence[Message]]

    def definition(self) -> dict[str, Any]:
        """Return the prompt as `prompts/list` shows it, in the shape of the newest revision."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "arguments": [argument.definition() for argument in self.arguments],
        }

    def validated(self, given: object) -> Arguments:
        """Return the arguments that are not empty. Raises RpcError -32602 or InvalidInput, which name the argument.

        An argument that is null counts as not given, as with tools.
        """
        if not isinstance(given, dict):
            raise invalid_params("arguments must be an object of strings")
        given = {name: "" if value is None else value for name, value in given.items()}
        known = [argument.name for argument in self.arguments]
        for name, value in given.items():
            if name not in known:
                allowed = f"it takes {', '.join(known)}" if known else "it takes no arguments"
                raise invalid_params(f"arguments: {self.name} has no argument {name[:100]!r}; {allowed}")
            if not isinstance(value, str) or len(value) > MAX_VALUE_CHARS:
                raise invalid_params(f"arguments: {name} must be a string of at most {MAX_VALUE_CHARS} characters")
            check_storable(name, value)
        filled = {name: value.strip() for name, value in given.items() if value.strip()}
        for argument in self.arguments:
            if argument.required and argument.name not in filled:
                raise invalid_params(f"arguments: {argument.name} is required: {argument.description}")
        return filled
