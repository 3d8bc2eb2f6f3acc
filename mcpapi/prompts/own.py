"""Prompts that owners wrote for themselves: parsing, validation, storage and rendering."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from common.texts import translatable
from mcpapi.calls.caller import Caller
from mcpapi.models import OwnPrompt
from mcpapi.prompts.base import Argument, Arguments, Message, Prompt, text_message
from memories.errors import InvalidInput, LimitExceeded

PROMPT_CHANNEL = "ownsona_prompts"
"""The channel on which a trigger publishes each committed change of an owner's prompts. The payload is the owner id."""

MAX_PROMPTS = 100
PROMPT_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MAX_ARGUMENTS = 10
MAX_MESSAGES = 20
MAX_CHARS = 20_000

Kept = list[dict[str, object]]

_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_ARGUMENT = re.compile(r"(?P<name>[a-z][a-z0-9_]{0,39})(?P<required>\*?)\s*(?::\s*(?P<description>.*))?")
_ROLE = re.compile(r"^\[(user|assistant)\][^\S\n]*$", re.MULTILINE)


def parse_arguments(typed: str) -> Kept:
    """Parse arguments typed one per line, `name: what it is`, with `*` after the name of a required one.

    Raises InvalidInput or LimitExceeded.
    """
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    if len(lines) > MAX_ARGUMENTS:
        raise LimitExceeded(
            translatable("%(number)s lines; at most %(most)s are allowed.", number=len(lines), most=MAX_ARGUMENTS),
            argument="arguments",
        )
    arguments = [_parse_argument(line) for line in lines]
    names = [argument["name"] for argument in arguments]
    if doubled := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput(
            translatable("the name %(name)s is used twice. Each name must be unique.", name=doubled),
            argument="arguments",
        )
    return arguments


def _parse_argument(line: str) -> dict[str, object]:
    found = _ARGUMENT.fullmatch(line)
    if found is None:
        raise InvalidInput(
            translatable(
                "“%(line)s” must have the form “name: description”. A name has at most 40 characters: lower-case "
                "letters, digits and underscores, starting with a letter.",
                line=line[:60],
            ),
            argument="arguments",
        )
    description = (found["description"] or "").strip()
    return {"name": found["name"], "description": description, "required": bool(found["required"])}


def format_arguments(arguments: Sequence[Mapping[str, object]]) -> str:
    """Return `arguments` in the form in which they are typed."""
    return "\n".join(
        f"{argument['name']}{'*' if argument['required'] else ''}: {argument['description']}" for argument in arguments
    )


def parse_messages(typed: str, arguments: Sequence[Mapping[str, object]]) -> Kept:
    """Parse messages, each below a line `[user]` or `[assistant]`. Without such a line the first one is the user's.

    Each {placeholder} must be one of `arguments`, and each argument must be used. Raises InvalidInput or LimitExceeded.
    """
    if len(typed) > MAX_CHARS:
        raise LimitExceeded(
            translatable(
                "has %(number)s characters; at most %(most)s are allowed.",
                number=f"{len(typed):,}",
                most=f"{MAX_CHARS:,}",
            ),
            argument="messages",
        )
    first, *rest = _ROLE.split(typed.replace("\r\n", "\n"))
    pairs = [("user", first), *zip(rest[::2], rest[1::2], strict=True)]
    messages: Kept = [{"role": role, "text": text.strip()} for role, text in pairs if text.strip()]
    if not messages:
        raise InvalidInput(translatable("must not be empty. Enter the messages to the assistant."), argument="messages")
    if len(messages) > MAX_MESSAGES:
        raise LimitExceeded(
            translatable("%(number)s messages; at most %(most)s are allowed.", number=len(messages), most=MAX_MESSAGES),
            argument="messages",
        )
    _check_placeholders(set(_PLACEHOLDER.findall(typed)), {str(argument["name"]) for argument in arguments})
    return messages


def _check_placeholders(used: set[str], named: set[str]) -> None:
    if unknown := sorted(used - named):
        raise InvalidInput(
            translatable(
                "%(name)s is not one of the values that it asks you for. Add it there, or remove it here.",
                name=f"{{{unknown[0]}}}",
            ),
            argument="messages",
        )
    if unused := sorted(named - used):
        raise InvalidInput(
            translatable(
                "the value %(name)s is not used. Write %(placeholder)s where it belongs.",
                name=unused[0],
                placeholder=f"{{{unused[0]}}}",
            ),
            argument="messages",
        )


def format_messages(messages: Sequence[Mapping[str, object]]) -> str:
    """Return `messages` in the form in which they are typed."""
    marked = "\n".join(f"[{message['role']}]\n{message['text']}\n" for message in messages)
    return marked.removeprefix("[user]\n").rstrip("\n")


def own_prompts(owner_id: int) -> list[Prompt]:
    """Return the owner's prompts, by name. One query."""
    return [as_prompt(row) for row in OwnPrompt.objects.filter(owner_id=owner_id).order_by("name")]


def find_own_prompt(owner_id: int, name: str) -> Prompt | None:
    """Return the owner's prompt of this name, or None. One query."""
    row = OwnPrompt.objects.filter(owner_id=owner_id, name=name).first()
    return None if row is None else as_prompt(row)


def as_prompt(row: OwnPrompt) -> Prompt:
    """Return `row` as a prompt of the protocol."""

    def render(caller: Caller, given: Arguments) -> Sequence[Message]:
        return [text_message(_filled(str(message["text"]), given), message["role"]) for message in row.messages]

    arguments = [Argument(**argument) for argument in row.arguments]
    return Prompt(row.name, row.title or row.name, row.description, arguments, render)


def _filled(text: str, given: Arguments) -> str:
    """Replace each placeholder by its value, or by nothing without one. Values are not searched for placeholders."""
    return _PLACEHOLDER.sub(lambda found: given.get(found[1], ""), text)
