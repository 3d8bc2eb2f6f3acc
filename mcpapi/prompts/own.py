"""Prompts that a person wrote for themselves: how they are typed, checked, kept and filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mcpapi.calls.context import Caller
from mcpapi.models import OwnPrompt
from mcpapi.prompts.base import Argument, Arguments, Message, Prompt, text_message
from memories.errors import InvalidInput, LimitExceeded

PROMPT_CHANNEL = "ownsona_prompts"
"""Where a trigger publishes each committed change of a user's prompts. The payload is the user id."""

MAX_ARGUMENTS = 10
MAX_MESSAGES = 20
MAX_CHARS = 20_000

Kept = list[dict[str, object]]

_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_ARGUMENT = re.compile(r"(?P<name>[a-z][a-z0-9_]{0,39})(?P<required>\*?)\s*(?::\s*(?P<description>.*))?")
_ROLE = re.compile(r"^\[(user|assistant)\][^\S\n]*$", re.MULTILINE)


def parse_arguments(typed: str) -> Kept:
    """Arguments typed one a line, `name: what it is`, with `*` after the name of one that is required.

    Raises InvalidInput or LimitExceeded.
    """
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    if len(lines) > MAX_ARGUMENTS:
        raise LimitExceeded(f"arguments: {len(lines)} arguments; at most {MAX_ARGUMENTS} are allowed.")
    arguments = [_parse_argument(line) for line in lines]
    names = [argument["name"] for argument in arguments]
    if doubled := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput(f"arguments: the name {doubled} comes twice.")
    return arguments


def _parse_argument(line: str) -> dict[str, object]:
    found = _ARGUMENT.fullmatch(line)
    if found is None:
        raise InvalidInput(
            f"arguments: “{line[:60]}” is not of the form “name: what it is”. A name has at most 40 characters: "
            "lower-case letters, digits and underscores, a letter first."
        )
    description = (found["description"] or "").strip()
    return {"name": found["name"], "description": description, "required": bool(found["required"])}


def format_arguments(arguments: Sequence[Mapping[str, object]]) -> str:
    """`arguments` as they are typed."""
    return "\n".join(
        f"{argument['name']}{'*' if argument['required'] else ''}: {argument['description']}" for argument in arguments
    )


def parse_messages(typed: str, arguments: Sequence[Mapping[str, object]]) -> Kept:
    """Messages with a line `[user]` or `[assistant]` before each; the first is the user's without such a line.

    Each {placeholder} must be one of `arguments`, and each of those must come up. Raises InvalidInput or LimitExceeded.
    """
    if len(typed) > MAX_CHARS:
        raise LimitExceeded(f"messages: has {len(typed)} characters; at most {MAX_CHARS} are allowed.")
    first, *rest = _ROLE.split(typed.replace("\r\n", "\n"))
    pairs = [("user", first), *zip(rest[::2], rest[1::2], strict=True)]
    messages: Kept = [{"role": role, "text": text.strip()} for role, text in pairs if text.strip()]
    if not messages:
        raise InvalidInput("messages: are empty. Say what the assistant is to be told.")
    if len(messages) > MAX_MESSAGES:
        raise LimitExceeded(f"messages: {len(messages)} messages; at most {MAX_MESSAGES} are allowed.")
    _check_placeholders(set(_PLACEHOLDER.findall(typed)), {str(argument["name"]) for argument in arguments})
    return messages


def _check_placeholders(used: set[str], named: set[str]) -> None:
    if unknown := sorted(used - named):
        raise InvalidInput(f"messages: {{{unknown[0]}}} is not among the arguments. Add it there, or take it out here.")
    if unused := sorted(named - used):
        raise InvalidInput(f"messages: the argument {unused[0]} does not come up. Write {{{unused[0]}}} where it goes.")


def format_messages(messages: Sequence[Mapping[str, object]]) -> str:
    """`messages` as they are typed."""
    marked = "\n".join(f"[{message['role']}]\n{message['text']}\n" for message in messages)
    return marked.removeprefix("[user]\n").rstrip("\n")


def own_prompts(owner_id: int) -> list[Prompt]:
    """The prompts of this person, by name. One query."""
    return [as_prompt(row) for row in OwnPrompt.objects.filter(owner_id=owner_id).order_by("name")]


def find_own_prompt(owner_id: int, name: str) -> Prompt | None:
    """The prompt of this name, if the person has one. One query."""
    row = OwnPrompt.objects.filter(owner_id=owner_id, name=name).first()
    return None if row is None else as_prompt(row)


def as_prompt(row: OwnPrompt) -> Prompt:
    """`row` as the protocol sees it."""

    def render(caller: Caller, given: Arguments) -> Sequence[Message]:
        return [text_message(_filled(str(message["text"]), given), message["role"]) for message in row.messages]

    arguments = [Argument(**argument) for argument in row.arguments]
    return Prompt(row.name, row.title or row.name, row.description, arguments, render)


def _filled(text: str, given: Arguments) -> str:
    """`text` with a value for each placeholder; nothing where none was given. Values are not searched again."""
    return _PLACEHOLDER.sub(lambda found: given.get(found[1], ""), text)
