"""Validation of the arguments of custom tools, as lenient as that of built-in tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, NotRequired, Required

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from customtools.definitions.schemas import Schema
from mcpapi.tools import lenient
from mcpapi.tools.arguments import Flag, Integer, JsonObject, Number

_BOUNDS: Final[Mapping[str, str]] = {
    "minimum": "ge",
    "maximum": "le",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
}
"""By keyword of the schema: the name of the bound in pydantic."""

_SCALARS: Final[Mapping[str, Any]] = {"string": str, "integer": Integer, "number": Number, "boolean": Flag}


def validator_of(parameters: Schema) -> TypeAdapter[dict[str, Any]]:
    """Return a validator of arguments for a schema that `customtools` has checked.

    It returns the arguments with defaults filled in. Its ValidationError names each wrong argument.
    """
    return TypeAdapter(_object_type(parameters))


def _object_type(schema: Schema) -> Any:
    """Return the type of an object with named values, and of one with any if it names none and allows others."""
    properties = schema.get("properties", {})
    if not properties and schema.get("additionalProperties", True):
        return JsonObject
    required = set(schema.get("required", []))
    fields = {
        name: Required[_type_of(each)] if name in required else NotRequired[_type_of(each)]
        for name, each in properties.items()
    }
    extra: Literal["allow", "forbid"] = "allow" if schema.get("additionalProperties", False) else "forbid"
    # The names come from the schema, so the type cannot be written as a class.
    named: Any = TypedDict("Arguments", fields)  # type: ignore[misc]
    typed = with_config(ConfigDict(extra=extra))(named)
    return Annotated[typed, BeforeValidator(_prepared(properties, required))]


def _prepared(properties: Mapping[str, Schema], required: set[str]) -> Callable[[object], object]:
    """Return a function that leaves out optional arguments that are null, and fills in the defaults."""
    defaults = {name: each["default"] for name, each in properties.items() if "default" in each}

    def prepare(given: object) -> object:
        given = lenient.as_object(given)
        if not isinstance(given, dict):
            return given
        kept = {name: value for name, value in given.items() if value is not None or name in required}
        return {**defaults, **kept}

    return prepare


def _type_of(schema: Schema) -> Any:
    kind = schema["type"]
    if kind == "object":
        return _object_type(schema)
    if "enum" in schema:
        chosen: Any = Literal[tuple(schema["enum"])]
        return chosen if kind == "string" else Annotated[chosen, BeforeValidator(_NUMBERS[kind])]
    bounds: dict[str, Any] = {_BOUNDS[keyword]: value for keyword, value in schema.items() if keyword in _BOUNDS}
    if kind == "array":
        item: Any = _type_of(schema["items"]) if "items" in schema else Any
        # One error is enough for a list with a million bad entries.
        return Annotated[list[item], Field(fail_fast=True, **bounds), BeforeValidator(lenient.as_objects)]
    return Annotated[_SCALARS[kind], Field(**bounds)] if bounds else _SCALARS[kind]


_NUMBERS: Final[Mapping[str, Callable[[object], object]]] = {"integer": lenient.as_whole, "number": lenient.as_number}
