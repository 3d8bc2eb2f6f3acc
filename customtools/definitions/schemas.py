"""JSON Schemas of parameters: the part of JSON Schema that custom tools may use.

It is small on purpose. Every model API accepts it, each error can name the argument, and no argument of an app can make
its validation slow, as a regular expression could.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator

from common.texts import translatable
from customtools.errors import InvalidDefinition

Schema = dict[str, Any]

MAX_PROPERTIES: Final = 50
MAX_LEVELS: Final = 5
MAX_ENUM: Final = 100
MAX_NAME_CHARS: Final = 64
MAX_TEXT_CHARS: Final = 1_000

_ANY: Final = frozenset({"type", "title", "description", "default", "enum", "examples"})
_OBJECT: Final = frozenset({"properties", "required", "additionalProperties"})
KEYWORDS: Final[Mapping[str, frozenset[str]]] = {
    "string": _ANY | {"minLength", "maxLength"},
    "integer": _ANY | {"minimum", "maximum"},
    "number": _ANY | {"minimum", "maximum"},
    "boolean": _ANY,
    "array": _ANY | {"items", "minItems", "maxItems"},
    "object": _ANY | _OBJECT,
}
"""By type: the keywords that its schema may have."""

_EMPTY: Final[Mapping[str, Any]] = {"array": [], "object": {}}


def checked_parameters(given: Any) -> Schema:
    """Return the schema of a tool's parameters, complete: an object that takes no other arguments.

    Raises InvalidDefinition, which names the place, such as parameters.properties.room.type.
    """
    if given in (None, {}, []):
        given = {"type": "object"}
    schema = _checked(given, "parameters", 1)
    if schema["type"] != "object":
        raise InvalidDefinition(translatable("must be object: the arguments by name."), "parameters.type")
    return {
        **schema,
        "properties": schema.get("properties", {}),
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _checked(schema: Any, place: str, level: int) -> Schema:
    if not isinstance(schema, dict):
        raise InvalidDefinition(translatable("must be a JSON Schema: an object with a type."), place)
    if level > MAX_LEVELS:
        raise InvalidDefinition(translatable("is nested deeper than %(most)s levels.", most=MAX_LEVELS), place)
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in KEYWORDS:
        raise InvalidDefinition(translatable("must be one of %(values)s.", values=", ".join(KEYWORDS)), f"{place}.type")
    if unknown := sorted(set(schema) - KEYWORDS[kind]):
        allowed = ", ".join(sorted(KEYWORDS[kind]))
        raise InvalidDefinition(
            translatable("cannot be used with the type %(kind)s. Allowed: %(allowed)s.", kind=kind, allowed=allowed),
            f"{place}.{unknown[0]}",
        )
    checked = {name: _KEYWORD_CHECKS[name](value, f"{place}.{name}", level) for name, value in schema.items()}
    _refuse_contradictions(checked, place)
    return _with_default(checked, place)


def _text(value: Any, place: str, _: int) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT_CHARS:
        raise InvalidDefinition(
            translatable("must be a text of at most %(most)s characters.", most=f"{MAX_TEXT_CHARS:,}"), place
        )
    return value


def _number(value: Any, place: str, _: int) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidDefinition(translatable("must be a number."), place)
    return value


def _count(value: Any, place: str, _: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or value != int(value):
        raise InvalidDefinition(translatable("must be a whole number, 0 or more."), place)
    return int(value)


def _enum(value: Any, place: str, _: int) -> list[str | int | float]:
    is_fine = isinstance(value, list) and 0 < len(value) <= MAX_ENUM
    if not is_fine or not all(isinstance(each, str | int | float) and not isinstance(each, bool) for each in value):
        raise InvalidDefinition(translatable("must be a list of 1 to %(most)s texts or numbers.", most=MAX_ENUM), place)
    return list(value)


def _properties(value: Any, place: str, level: int) -> dict[str, Schema]:
    if value == []:
        value = {}
    if not isinstance(value, dict) or len(value) > MAX_PROPERTIES:
        raise InvalidDefinition(
            translatable("must be an object with at most %(most)s schemas by name.", most=MAX_PROPERTIES), place
        )
    for name in value:
        if not name or len(name) > MAX_NAME_CHARS or not name.replace("_", "a").replace("-", "a").isalnum():
            raise InvalidDefinition(
                translatable(
                    "“%(name)s” is not a name for an argument: use 1 to %(most)s letters, digits, underscores and "
                    "hyphens.",
                    name=name[:MAX_NAME_CHARS],
                    most=MAX_NAME_CHARS,
                ),
                place,
            )
    return {name: _checked(each, f"{place}.{name}", level + 1) for name, each in value.items()}


def _required(value: Any, place: str, _: int) -> list[str]:
    if value == {}:
        value = []
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise InvalidDefinition(translatable("must be a list of names of arguments."), place)
    return list(dict.fromkeys(value))


def _additional(value: Any, place: str, _: int) -> bool:
    if not isinstance(value, bool):
        raise InvalidDefinition(translatable("must be true or false."), place)
    return value


def _kind(value: Any, _: str, __: int) -> str:
    return str(value)


def _examples(value: Any, place: str, _: int) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidDefinition(translatable("must be a list of values."), place)
    return value


def _anything(value: Any, _: str, __: int) -> Any:
    return value


_KEYWORD_CHECKS: Final[Mapping[str, Callable[[Any, str, int], Any]]] = {
    "type": _kind,
    "title": _text,
    "description": _text,
    "default": _anything,
    "examples": _examples,
    "enum": _enum,
    "minLength": _count,
    "maxLength": _count,
    "minimum": _number,
    "maximum": _number,
    "minItems": _count,
    "maxItems": _count,
    "items": lambda value, place, level: _checked(value, place, level + 1),
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
}


def _refuse_contradictions(schema: Schema, place: str) -> None:
    """Raise InvalidDefinition where two keywords contradict each other."""
    for low, high in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
        if low in schema and high in schema and schema[low] > schema[high]:
            raise InvalidDefinition(translatable("must not be more than %(other)s.", other=high), f"{place}.{low}")
    if missing := [name for name in schema.get("required", []) if name not in schema.get("properties", {})]:
        raise InvalidDefinition(
            translatable("“%(name)s” is not one of the properties.", name=missing[0][:MAX_NAME_CHARS]),
            f"{place}.required",
        )
    kinds: tuple[type, ...] = {"string": (str,), "integer": (int,), "number": (int, float)}.get(schema["type"], ())
    if "enum" in schema and (not kinds or not all(isinstance(each, kinds) for each in schema["enum"])):
        raise InvalidDefinition(
            translatable("must contain values of the type %(kind)s.", kind=schema["type"]), f"{place}.enum"
        )


def _with_default(schema: Schema, place: str) -> Schema:
    """Return the schema with a default that satisfies it. Raises InvalidDefinition: calls would fail because of it."""
    if "default" not in schema:
        return schema
    default = schema["default"]
    if default in ({}, []) and schema["type"] in _EMPTY:
        # In Lua, an empty list and an empty object are the same.
        default = _EMPTY[schema["type"]]
    if not Draft202012Validator(schema).is_valid(default):
        raise InvalidDefinition(
            translatable("must be a value that the rest of this schema allows."), f"{place}.default"
        )
    return {**schema, "default": default}
