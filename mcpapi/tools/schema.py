"""JSON Schemas of tools in the plain form that strict clients accept: no `$ref`, one object at the root."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

# pydantic leaves bounds under its own names if a validator runs before them.
_KEYWORDS = {"ge": "minimum", "le": "maximum"}
ERROR: Schema = {
    "type": "object",
    "description": "The error, if ok is false.",
    "properties": {
        "code": {"type": "string", "description": "A stable code, such as INVALID_INPUT or NOT_FOUND."},
        "message": {"type": "string", "description": "What is wrong, and what is allowed."},
        "rpc_code": {"type": "integer", "description": "The JSON-RPC code of a missing approval."},
        "status": {"type": "integer", "description": "The HTTP status of the embedding provider, if any."},
    },
    "required": ["code", "message"],
}


def input_schema(model: type[BaseModel]) -> Schema:
    """Return the schema of a tool's arguments. No extra arguments are allowed."""
    schema = _inlined(model.model_json_schema(mode="validation"))
    return {
        "type": "object",
        "properties": {name: _without_null(argument) for name, argument in schema.get("properties", {}).items()},
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _without_null(argument: Schema) -> Schema:
    """Remove null from a union: null counts as not given, and several model APIs refuse such unions."""
    options = [option for option in argument.get("anyOf", []) if option != {"type": "null"}]
    if not options:
        return argument
    rest = {key: value for key, value in argument.items() if key != "anyOf" and (key, value) != ("default", None)}
    return {**(options[0] if len(options) == 1 else {"anyOf": options}), **rest}


def output_schema(model: type[BaseModel]) -> Schema:
    """Return the schema of a tool's payload. Only `ok` is required, so that a failure satisfies it too."""
    schema = _inlined(model.model_json_schema(mode="serialization"))
    return {
        "type": "object",
        "properties": {
            "ok": {"type": "boolean", "description": "Whether the call succeeded."},
            **schema.get("properties", {}),
            "error": ERROR,
        },
        "required": ["ok"],
    }


def _inlined(schema: Schema) -> Schema:
    """Return `schema` with every reference replaced by its target, and without pydantic's titles."""
    definitions: dict[str, Schema] = schema.pop("$defs", {})

    def inline(node: Any) -> Any:
        if isinstance(node, list):
            return [inline(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            target = definitions[node["$ref"].rpartition("/")[2]]
            return inline({**target, **{key: value for key, value in node.items() if key != "$ref"}})
        return {
            _KEYWORDS.get(key, key): _inline_value(key, value)
            for key, value in node.items()
            if not _is_title(key, value)
        }

    def _inline_value(key: str, value: Any) -> Any:
        if key == "properties":
            return {name: inline(child) for name, child in value.items()}
        return inline(value)

    inlined: Schema = inline(schema)
    return inlined


def _is_title(key: str, value: Any) -> bool:
    return key == "title" and isinstance(value, str)
