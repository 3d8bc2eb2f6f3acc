"""The protocol's own JSON Schemas by revision, and the validation of messages against them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

RESULTS = {
    "initialize": "InitializeResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
}
"""The type of the result by method. Any other method has an empty result."""


def check_answer(revision: str, method: str, message: dict[str, Any]) -> None:
    """Fail unless `message` is a response, in the shape of `revision`, to a request for `method`."""
    if "error" in message:
        # The handshake revisions respond with a null id to a request whose id could not be read.
        unread = revision < "2026" and message["id"] is None
        _validator(revision, "error").validate({**message, "id": 0} if unread else message)
        return
    _validator(revision, "result").validate(message)
    is_question = message["result"].get("resultType") == "input_required"
    kind = "InputRequiredResult" if is_question else RESULTS.get(method, "EmptyResult")
    _validator(revision, kind).validate(message["result"])


def fields_of(revision: str, kind: str) -> set[str]:
    """Return the names of the fields that a type has in `revision`."""
    schema = _schema(revision)
    definitions = schema.get("$defs") or schema["definitions"]
    # The oldest revision defines annotations inline.
    found = definitions[kind] if kind in definitions else definitions["Resource"]["properties"][kind.lower()]
    return set(found["properties"])


@cache
def _schema(revision: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((Path(__file__).parent / f"{revision}.json").read_text(encoding="utf-8"))
    return schema


@cache
def _validator(revision: str, kind: str) -> Validator:
    schema = _schema(revision)
    definitions = "$defs" if "$defs" in schema else "definitions"
    # Older revisions have other names for the types of both kinds of response.
    names = {"error": ("JSONRPCErrorResponse", "JSONRPCError"), "result": ("JSONRPCResultResponse", "JSONRPCResponse")}
    name = next(name for name in names.get(kind, (kind,)) if name in schema[definitions])
    whole = {"$schema": schema["$schema"], definitions: schema[definitions], "$ref": f"#/{definitions}/{name}"}
    return validator_for(whole)(whole)
