"""Arguments to begin a test run with, from the schema of a tool's parameters."""

from __future__ import annotations

import math
from typing import Any

from jsonschema import Draft202012Validator

from customtools.definitions.schemas import Schema

PLACEHOLDER = "…"
"""A text that the owner replaces."""


def sample_arguments(parameters: Schema) -> dict[str, Any]:
    """Return a value for each required argument, and for the others that have an example or a default."""
    required = parameters.get("required", [])
    properties = parameters.get("properties", {})
    return {name: _sample(schema) for name, schema in properties.items() if name in required or _suggested(schema)}


def _sample(schema: Schema) -> Any:
    return next(iter(_suggested(schema)), _placeholder(schema))


def _suggested(schema: Schema) -> list[Any]:
    """Return the values that the author of the schema names, the best first. Examples are not checked elsewhere."""
    validator = Draft202012Validator(schema)
    named = [*schema.get("examples", []), *([schema["default"]] if "default" in schema else [])]
    return [value for value in named if validator.is_valid(value)]


def _placeholder(schema: Schema) -> Any:
    """Return a value that the schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "string":
            return PLACEHOLDER * max(schema.get("minLength", 0), min(1, schema.get("maxLength", 1)))
        case "integer" | "number":
            return _number(schema)
        case "boolean":
            return False
        case "array":
            return [_sample(schema.get("items", {"type": "string"}))] * schema.get("minItems", 0)
    return sample_arguments(schema)


def _number(schema: Schema) -> int | float:
    """Return the allowed number that is nearest to 1."""
    nearest: int | float = max(schema.get("minimum", -math.inf), min(1, schema.get("maximum", 1)))
    return math.ceil(nearest) if schema["type"] == "integer" else nearest
