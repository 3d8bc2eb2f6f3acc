"""Tests of the JSON Schemas that custom tools may declare."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from customtools.definitions.schemas import checked_parameters
from customtools.errors import InvalidDefinition
from mcpapi.tools.custom.arguments import validator_of


def of(**properties: Any) -> dict[str, Any]:
    """Return the schema of parameters with these properties, all optional."""
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize("empty", [None, {}, [], {"type": "object"}, {"type": "object", "properties": []}])
def test_a_tool_needs_no_parameters(empty: Any) -> None:
    expected = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert checked_parameters(empty) == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (5, "parameters: must be a JSON Schema"),
        ({"type": "array"}, "parameters.type: must be object"),
        ({"type": ["object", "null"]}, "parameters.type: must be one of string"),
        ({"type": "object", "properties": 5}, "parameters.properties: must be an object"),
        ({"type": "object", "required": "a"}, "parameters.required: must be a list of names"),
        ({"type": "object", "required": ["b"]}, "parameters.required: “b” is not one of the properties"),
        ({"type": "object", "$defs": {}}, "parameters.$defs: cannot be used with the type object"),
        (of(a=None), "parameters.properties.a: must be a JSON Schema"),
        (of(a={}), "parameters.properties.a.type: must be one of"),
        (of(a={"type": "strng"}), "parameters.properties.a.type: must be one of"),
        (of(a={"$ref": "#"}), "parameters.properties.a.type: must be one of"),
        (of(a={"type": "string", "pattern": "(a+)+"}), "parameters.properties.a.pattern: cannot be used"),
        (of(a={"type": "string", "minLength": -1}), "parameters.properties.a.minLength: must be a whole number"),
        (of(a={"type": "integer", "minimum": "x"}), "parameters.properties.a.minimum: must be a number"),
        (of(a={"type": "integer", "minimum": 3, "maximum": 2}), "minimum: must not be more than maximum"),
        (of(a={"type": "string", "enum": [1]}), "parameters.properties.a.enum: must contain values of the type string"),
        (of(a={"type": "string", "enum": []}), "parameters.properties.a.enum: must be a list of 1 to 100"),
        (of(a={"type": "string", "examples": "x"}), "parameters.properties.a.examples: must be a list"),
        (of(a={"type": "array", "items": {"type": "x"}}), "parameters.properties.a.items.type: must be one of"),
        (of(**{"a b": {"type": "string"}}), "“a b” is not a name for an argument"),
        (
            of(**{f"a{n}": {"type": "string"} for n in range(51)}),
            "parameters.properties: must be an object with at most 50",
        ),
        (of(a={"type": "integer", "default": "x"}), "parameters.properties.a.default: must be a value that the rest"),
        (of(a={"type": "integer", "maximum": 5, "default": 6}), "parameters.properties.a.default: must be a value"),
        (of(a={"type": "string", "enum": ["x"], "default": "y"}), "parameters.properties.a.default: must be a value"),
        (of(a={"type": "array", "items": {"type": "integer"}, "default": ["x"]}), "parameters.properties.a.default:"),
        ({**of(a={"type": "string"}), "default": {"b": 1}, "additionalProperties": False}, "parameters.default:"),
    ],
)
def test_an_invalid_schema_is_refused_with_its_place(given: Any, said: str) -> None:
    with pytest.raises(InvalidDefinition) as caught:
        checked_parameters(given)
    assert said in str(caught.value)


def test_a_schema_that_contains_itself_too_often_is_refused() -> None:
    inner: dict[str, Any] = {"type": "string"}
    for _ in range(5):
        inner = of(a=inner)
    with pytest.raises(InvalidDefinition, match="is nested deeper than 5 levels"):
        checked_parameters(inner)


@pytest.mark.parametrize(
    ("schema", "default"),
    [
        ({"type": "integer", "minimum": 1}, 5),
        ({"type": "number"}, 1),
        ({"type": "string", "enum": ["x", "y"]}, "y"),
        ({"type": "boolean"}, False),
        ({"type": "array", "items": {"type": "string"}}, ["a"]),
        # In Lua, an empty list and an empty object are the same.
        ({"type": "array"}, {}),
        ({"type": "object"}, []),
    ],
)
def test_a_default_is_used_by_calls_without_the_argument(schema: dict[str, Any], default: Any) -> None:
    parameters = checked_parameters(of(a={**schema, "default": default}))
    Draft202012Validator.check_schema(parameters)
    values = validator_of(parameters).validate_python({})
    assert values == {"a": parameters["properties"]["a"]["default"]}
    Draft202012Validator(parameters).validate(values)


@pytest.mark.parametrize("name", ["class", "self", "_private", "__init__", "model_config", "items", "0", "a-b", "ü"])
def test_any_name_of_an_argument_works(name: str) -> None:
    parameters = checked_parameters({**of(**{name: {"type": "integer"}}), "required": [name]})
    assert validator_of(parameters).validate_python({name: 5}) == {name: 5}
