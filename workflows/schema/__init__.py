"""The published JSON Schema of workflows (Draft 2020-12), and the validation of definitions against it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match

from common.texts import translatable
from memories.errors import InvalidInput

SCHEMA_BYTES = (Path(__file__).parent / "workflow.schema.json").read_bytes()
MAX_SHOWN_CHARS = 200


def check_schema(definition: object) -> Mapping[str, Any]:
    """Return the definition if it satisfies the schema. Raises InvalidInput that names the place and the rule."""
    error = best_match(_validator().iter_errors(definition))
    if error is not None:
        raise InvalidInput(_problem(error), argument=_place(error))
    assert isinstance(definition, dict), "the schema requires an object"
    return definition


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(orjson.loads(SCHEMA_BYTES))


def _place(error: ValidationError) -> str:
    """Return the path of the wrong value, such as `steps.0.tool`."""
    return ".".join(str(part) for part in error.absolute_path)[:MAX_SHOWN_CHARS] or "definition"


def _problem(error: ValidationError) -> str:
    """Return what is wrong, without the value, which may be long or a secret."""
    rule: object = error.validator
    allowed: Any = error.validator_value
    match rule:
        case "required" if isinstance(error.instance, dict) and isinstance(allowed, list):
            missing = [name for name in allowed if name not in error.instance]
            name = missing[0] if missing else ""
            return translatable("needs the key %(name)s.", name=name) if name else translatable("lacks a key.")
        case "additionalProperties":
            known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
            instance = error.instance if isinstance(error.instance, dict) else {}
            unknown = sorted(str(name)[:60] for name in instance if name not in known)
            return translatable(
                "has the unknown key %(name)s. Allowed are: %(allowed)s.", name=unknown[0], allowed=", ".join(known)
            )
        case "oneOf" if "id" in (error.instance if isinstance(error.instance, dict) else {}):
            return translatable(
                "must have exactly one of instruction, tool and workflow; only the last two can have arguments."
            )
        case "oneOf":
            return translatable("must be a value with an operator, such as equals, or exactly one of all, any and not.")
        case "type":
            types = allowed if isinstance(allowed, str) else " or ".join(map(str, allowed))
            return translatable("must be of the type %(types)s.", types=types)
        case "enum":
            return translatable("must be one of: %(allowed)s.", allowed=", ".join(map(str, allowed)))
        case "pattern":
            return translatable("must match %(pattern)s.", pattern=allowed)
        case _:
            return translatable(
                "violates the rule %(rule)s: %(allowed)s.", rule=rule, allowed=str(allowed)[:MAX_SHOWN_CHARS]
            )
