"""The declaration of a custom tool: what scripts and HTTP templates have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self, get_args

from common.provided import Provided
from common.scopes import READ, Scope
from common.texts import translatable
from customtools.definitions.schemas import Schema, checked_parameters
from customtools.errors import InvalidDefinition
from customtools.limits import DEFAULT_SECONDS, MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, MAX_SECONDS
from memories.validation.text import check_storable, refuse_secrets

TOOL_NAME: Final = re.compile(rf"[a-z][a-z0-9_]{{1,{MAX_NAME_CHARS - 1}}}")
RISKS: Final = ("none", "risky")
MAX_TITLE_CHARS: Final = 100
FIELDS: Final = frozenset({"name", "title", "description", "parameters", "scope", "risk", "timeout_seconds"})

reserved_names: Provided[[], frozenset[str]] = Provided("the names that custom tools cannot have")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A valid declaration. `parameters` is a JSON Schema of the part that `schemas` describes."""

    name: str
    title: str
    description: str
    parameters: Schema
    scope: Scope
    is_risky: bool
    timeout_seconds: float

    @classmethod
    def of(cls, given: Any) -> Self:
        """Return the declaration in `given`. Raises InvalidDefinition or another error that names the field."""
        if not isinstance(given, dict):
            raise InvalidDefinition(translatable("must be an object with a name, a description and the rest."), "tool")
        if unknown := sorted(set(given) - FIELDS):
            raise InvalidDefinition(
                translatable("is not known. A tool declares %(names)s.", names=", ".join(sorted(FIELDS))),
                unknown[0][:MAX_NAME_CHARS],
            )
        name = _checked_name(given.get("name"))
        return cls(
            name=name,
            title=_text(given, "title", MAX_TITLE_CHARS) or name.replace("_", " ").capitalize(),
            description=_required_text(given, "description", MAX_DESCRIPTION_CHARS),
            parameters=checked_parameters(given.get("parameters")),
            scope=_choice(given, "scope", get_args(Scope), READ),  # type: ignore[arg-type]  # one of the arguments
            is_risky=_choice(given, "risk", RISKS, RISKS[0]) == "risky",
            timeout_seconds=_seconds(given.get("timeout_seconds", DEFAULT_SECONDS)),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the declaration as it is stored."""
        return asdict(self)

    @classmethod
    def stored(cls, fields: Mapping[str, Any]) -> Self:
        """Return a declaration that `as_json` has returned."""
        return cls(**fields)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
        raise InvalidDefinition(
            translatable(
                "must have 2 to %(most)s lower-case letters, digits and underscores, and begin with a letter.",
                most=MAX_NAME_CHARS,
            ),
            "name",
        )
    if name in reserved_names():
        raise InvalidDefinition(translatable("%(name)s is a built-in tool. Choose another name.", name=name), "name")
    return name


def _text(given: Mapping[str, Any], field: str, max_chars: int) -> str:
    value = given.get(field, "")
    if not isinstance(value, str) or len(value) > max_chars:
        raise InvalidDefinition(
            translatable("must be a text of at most %(most)s characters.", most=f"{max_chars:,}"), field
        )
    check_storable(field, value)
    refuse_secrets(field, value)
    return " ".join(value.split())


def _required_text(given: Mapping[str, Any], field: str, max_chars: int) -> str:
    if text := _text(given, field, max_chars):
        return text
    raise InvalidDefinition(translatable("is required: it tells assistants when to use the tool."), field)


def _choice(given: Mapping[str, Any], field: str, choices: tuple[str, ...], default: str) -> str:
    value = given.get(field, default)
    if value not in choices:
        raise InvalidDefinition(translatable("must be one of %(values)s.", values=", ".join(choices)), field)
    return str(value)


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= MAX_SECONDS:
        raise InvalidDefinition(
            translatable("must be a number of seconds from 1 to %(most)s.", most=MAX_SECONDS), "timeout_seconds"
        )
    return float(value)
