"""The suite's tools that need nobody but themselves."""

from __future__ import annotations

import json

from mcpapi.context import Caller
from tests.conformance.fixtures import Arguments, FixtureTool, Json, audio, embedded, image, text

ADDRESS: Json = {
    "$anchor": "addressDef",
    "type": "object",
    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
}
WHOLE_VOCABULARY: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": ADDRESS},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def _fail(caller: Caller, arguments: Arguments) -> list[Json]:
    raise ValueError("This tool intentionally returns an error for testing")


def _of_all_kinds(caller: Caller, arguments: Arguments) -> list[Json]:
    resource = embedded("test://mixed-content-resource", "application/json", json.dumps({"test": "data", "value": 123}))
    return [text("Multiple content types test:"), image(), resource]


PLAIN_TOOLS = (
    FixtureTool(
        "test_simple_text", "Text alone.", lambda caller, args: [text("This is a simple text response for testing.")]
    ),
    FixtureTool("test_image_content", "A picture.", lambda caller, args: [image()]),
    FixtureTool("test_audio_content", "A sound.", lambda caller, args: [audio()]),
    FixtureTool(
        "test_embedded_resource",
        "A resource within the result.",
        lambda caller, args: [
            embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
        ],
    ),
    FixtureTool("test_multiple_content_types", "Text, a picture and a resource.", _of_all_kinds),
    FixtureTool("test_error_handling", "Always fails.", _fail),
    FixtureTool(
        "test_logging_tool",
        "Has something to log for who asks for it.",
        lambda caller, args: [text("Done.")],
    ),
    FixtureTool(
        "json_schema_2020_12_tool",
        "Takes arguments that use the whole vocabulary of JSON Schema.",
        lambda caller, args: [text(json.dumps(args))],
        WHOLE_VOCABULARY,
    ),
)
