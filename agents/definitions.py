"""The definition of an agent: parsing, validation, and its form as data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

import orjson

from agents.arguments import TypedArgument, read_arguments
from agents.templates import RESERVED, check_lookup_count, check_template
from common.texts import translatable
from memories.errors import InvalidInput, LimitExceeded
from memories.validation.text import check_storable, refuse_secrets

AGENT_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MAX_NAME_CHARS = 64
MAX_TITLE_CHARS = 100
MAX_DESCRIPTION_CHARS = 500
MAX_SOUL_CHARS = 20_000
MAX_MESSAGES = 20
MAX_MESSAGE_CHARS = 20_000
MAX_TOOLS = 100
MAX_CONFIG_CHARS = 20_000
ROLES = ("user", "assistant", "system")

ROLE_LINE = re.compile(rf"^\[({'|'.join(ROLES)})\][^\S\n]*$", re.MULTILINE)
"""The line above a message where messages are typed below each other."""

_TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_KEYS = ("title", "description", "soul", "tools", "config", "arguments", "messages")
_MESSAGE_KEYS = {"role", "content"}


@dataclass(frozen=True, slots=True)
class Message:
    """A message with placeholders. `role` is one of ROLES."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """An agent without its name: personality (`soul`), tools, configuration, arguments and messages.

    `config` is any JSON object; OwnSona passes it on and does not interpret it.
    """

    description: str
    soul: str
    title: str = ""
    tools: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)
    arguments: tuple[TypedArgument, ...] = ()
    messages: tuple[Message, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return the definition as JSON, which `read_definition` reads."""
        return {
            "title": self.title,
            "description": self.description,
            "soul": self.soul,
            "tools": list(self.tools),
            "config": dict(self.config),
            "arguments": [argument.as_data() for argument in self.arguments],
            "messages": [{"role": message.role, "content": message.content} for message in self.messages],
        }


def check_name(name: str) -> str:
    """Return the name of an agent. Raises InvalidInput."""
    if len(name) > MAX_NAME_CHARS or not AGENT_NAME.fullmatch(name):
        raise InvalidInput(
            translatable(
                "must have at most %(max_name_chars)s characters: lower-case letters, digits, and single "
                "hyphens between them.",
                max_name_chars=MAX_NAME_CHARS,
            ),
            argument="name",
        )
    return name


def read_definition(data: Mapping[str, Any]) -> AgentDefinition:
    """Return the definition in `data`, from a file, a form or an archive.

    Raises InvalidInput, LimitExceeded or SecretRejected that names the key.
    """
    if unknown := sorted(map(str, data.keys() - set(_KEYS))):
        raise InvalidInput(
            translatable("is unknown. Allowed are: %(values)s.", values=", ".join(_KEYS)), argument=unknown[0][:60]
        )
    arguments = read_arguments(data.get("arguments", []))
    if reserved := next((argument.name for argument in arguments if argument.name in RESERVED), None):
        raise InvalidInput(
            translatable("%(reserved)s is the name of a placeholder. Choose another.", reserved=reserved),
            argument="arguments",
        )
    definition = AgentDefinition(
        title=_text(data, "title", MAX_TITLE_CHARS),
        description=_text(data, "description", MAX_DESCRIPTION_CHARS, is_required=True),
        soul=_text(data, "soul", MAX_SOUL_CHARS, is_required=True),
        tools=_tools(data.get("tools", [])),
        config=_config(data.get("config", {})),
        arguments=arguments,
        messages=_messages(data.get("messages", [])),
    )
    _check_templates(definition)
    for argument in arguments:
        refuse_secrets("arguments", " ".join((argument.description, str(argument.default or ""), *argument.choices)))
    return definition


def _text(data: Mapping[str, Any], name: str, most: int, *, is_required: bool = False) -> str:
    value = data.get(name, "")
    if not isinstance(value, str):
        raise InvalidInput(translatable("must be a text."), argument=name)
    check_storable(name, value)
    text = value.replace("\r\n", "\n").strip()
    if is_required and not text:
        raise InvalidInput(translatable("is required."), argument=name)
    if len(text) > most:
        raise LimitExceeded(
            translatable(
                "has %(total)s characters; at most %(most)s are allowed.", total=f"{len(text):,}", most=f"{most:,}"
            ),
            argument=name,
        )
    refuse_secrets(name, text)
    return text


def _tools(tools: object) -> tuple[str, ...]:
    if not isinstance(tools, list) or not all(isinstance(tool, str) and _TOOL_NAME.fullmatch(tool) for tool in tools):
        raise InvalidInput(translatable("must be a list of names of tools."), argument="tools")
    if len(tools) > MAX_TOOLS:
        raise LimitExceeded(
            translatable("%(total)s tools; at most %(max_tools)s are allowed.", total=len(tools), max_tools=MAX_TOOLS),
            argument="tools",
        )
    return tuple(dict.fromkeys(tools))


def _config(config: object) -> dict[str, Any]:
    if not isinstance(config, dict):
        raise InvalidInput(translatable("must be an object."), argument="config")
    try:
        encoded = orjson.dumps(_plain(config))
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(translatable("has a value that JSON cannot represent."), argument="config") from None
    if len(encoded) > MAX_CONFIG_CHARS:
        raise LimitExceeded(
            translatable(
                "has %(total)s bytes as JSON; at most %(max_config_chars)s are allowed.",
                total=len(encoded),
                max_config_chars=MAX_CONFIG_CHARS,
            ),
            argument="config",
        )
    check_storable("config", encoded.decode().replace("\\u0000", "\x00"))
    refuse_secrets("config", encoded.decode())
    plain: dict[str, Any] = orjson.loads(encoded)
    return plain


def _plain(value: Any) -> Any:
    """Return a value of a TOML file as JSON. TOML has dates and times, which become texts."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, datetime | date | time) else value


def _messages(messages: object) -> tuple[Message, ...]:
    if not isinstance(messages, list):
        raise InvalidInput(translatable("must be a list."), argument="messages")
    if len(messages) > MAX_MESSAGES:
        raise LimitExceeded(
            translatable(
                "%(total)s messages; at most %(max_messages)s are allowed.",
                total=len(messages),
                max_messages=MAX_MESSAGES,
            ),
            argument="messages",
        )
    return tuple(_message(message) for message in messages)


def _message(message: object) -> Message:
    if not isinstance(message, dict) or set(message) != _MESSAGE_KEYS:
        raise InvalidInput(translatable("each must have exactly the keys role and content."), argument="messages")
    if message["role"] not in ROLES:
        raise InvalidInput(
            translatable("each role must be one of: %(values)s.", values=", ".join(ROLES)), argument="messages"
        )
    try:
        content = _text(message, "content", MAX_MESSAGE_CHARS, is_required=True)
    except LimitExceeded as error:
        raise LimitExceeded(translatable("a content %(problem)s", problem=error.problem), argument="messages") from None
    except InvalidInput as error:
        raise InvalidInput(
            translatable("each content %(problem)s", problem=error.problem), argument="messages"
        ) from None
    if ROLE_LINE.search(content):
        raise InvalidInput(
            translatable("a content must not have a line that is only the name of a role."), argument="messages"
        )
    return Message(message["role"], content)


def _check_templates(definition: AgentDefinition) -> None:
    names = [argument.name for argument in definition.arguments]
    lookups = check_template("soul", definition.soul, names)
    for message in definition.messages:
        lookups |= check_template("messages", message.content, names)
    check_lookup_count("messages", lookups)
    for argument in definition.arguments:
        if isinstance(argument.default, str) and "{" in argument.default:
            raise InvalidInput(
                translatable(
                    "the default of %(name)s must not contain braces: templates are filled only once.",
                    name=argument.name,
                ),
                argument="arguments",
            )
