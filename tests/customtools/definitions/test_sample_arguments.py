"""Arguments to begin a test run with."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from customtools.definitions.sample_arguments import sample_arguments
from customtools.definitions.schemas import checked_parameters

ONE = {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]}


@pytest.mark.parametrize(
    ("schema", "sample"),
    [
        ({"type": "string"}, "…"),
        ({"type": "string", "minLength": 3}, "………"),
        ({"type": "string", "examples": ["Rome", "Oslo"], "default": "Bern"}, "Rome"),
        ({"type": "string", "default": "Bern"}, "Bern"),
        ({"type": "string", "examples": [7], "maxLength": 0}, ""),
        ({"type": "string", "enum": ["on", "off"]}, "on"),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "number", "maximum": -2.5}, -2.5),
        ({"type": "boolean", "default": False}, False),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 1]),
        ({"type": "array"}, []),
        (ONE, {"street": "…"}),
    ],
)
def test_a_required_argument_has_a_value_that_is_allowed(schema: dict[str, Any], sample: object) -> None:
    parameters = checked_parameters({"type": "object", "properties": {"it": schema}, "required": ["it"]})
    assert sample_arguments(parameters) == {"it": sample}
    assert Draft202012Validator(parameters).is_valid({"it": sample})


def test_other_arguments_are_there_if_the_schema_names_a_value() -> None:
    properties = {
        "a": {"type": "string"},
        "b": {"type": "integer", "default": 3},
        "c": {"type": "string", "examples": ["x"]},
    }
    assert sample_arguments(checked_parameters({"type": "object", "properties": properties})) == {"b": 3, "c": "x"}
    assert sample_arguments({}) == {}
