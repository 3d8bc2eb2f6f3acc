"""JSON Schemas of the REST API, as the interface that it follows describes them: exactly these fields."""

from __future__ import annotations

from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker

Schema = dict[str, Any]

STRING: Final[Schema] = {"type": "string"}
STRINGS: Final[Schema] = {"type": "array", "items": STRING}
TEXT_OR_NULL: Final[Schema] = {"type": ["string", "null"]}
TIME: Final[Schema] = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
FLAG: Final[Schema] = {"type": "boolean"}


def closed(**properties: Any) -> Schema:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(**properties: Any) -> Schema:
    """Return the schema of a list of objects with exactly these properties."""
    return {"type": "array", "items": closed(**properties)}


SEARCH: Final = closed(
    results=list_of(
        id=STRING,
        score={"type": "number", "minimum": 0, "maximum": 1},
        title=TEXT_OR_NULL,
        source=STRING,
        source_id=STRING,
        updated_at=TIME,
        snippet=STRING,
        source_url=TEXT_OR_NULL,
    )
)
# The one addition: clients that do not know it see no difference.
SEARCH["properties"]["notice"] = STRING
GET: Final = closed(
    id=STRING,
    source=STRING,
    source_id=STRING,
    source_url=TEXT_OR_NULL,
    title=TEXT_OR_NULL,
    author=TEXT_OR_NULL,
    created_at=TIME,
    updated_at=TIME,
    content_type=STRING,
    body=STRING,
    metadata={"type": "object"},
    chunks=list_of(index={"type": "integer", "minimum": 0}, text=STRING),
)
SOURCES: Final = closed(sources=list_of(name=STRING, configured=FLAG, healthy=FLAG, notes=TEXT_OR_NULL))
TOOLS: Final = closed(
    tools=list_of(
        name=STRING,
        description=STRING,
        builtin=FLAG,
        parameters={
            "type": "object",
            "properties": {"type": {"const": "object"}, "properties": {"type": "object"}, "required": STRINGS},
            "required": ["type", "properties", "required"],
        },
    )
)
TOOL_RESULT: Final = closed(result={})
AGENTS: Final = closed(
    agents=list_of(
        name=STRING,
        description=STRING,
        tools=STRINGS,
        source={"enum": ["toml", "lua", "rust"]},
        arguments=list_of(name=STRING, description=STRING, required=FLAG),
    )
)
PROMPT: Final = closed(
    system=STRING,
    tools=STRINGS,
    messages=list_of(role={"enum": ["user", "assistant", "system"]}, content=STRING),
)


def error(*codes: str) -> Schema:
    """Return the schema of an error with one of these codes."""
    return closed(error=closed(code={"enum": list(codes)}, message={"type": "string", "minLength": 1}))


def valid(answer: Any, schema: Schema) -> Any:
    """Check `answer` against a schema and return it."""
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(answer)
    return answer
