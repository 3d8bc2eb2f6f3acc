"""The suite's tools without server requests."""

from __future__ import annotations

import json
import time

from mcpapi.calls.caller import Caller
from mcpapi.models import OwnPrompt
from mcpapi.rpc.notifier import PROGRESS_INTERVAL_SECONDS
from oauthserver.models import Permission
from tests.conformance.fixtures import Arguments, FixtureTool, Json, audio, embedded, image, text

STEP_SECONDS = 2 * PROGRESS_INTERVAL_SECONDS
"""The duration of a step of the work: long enough for each to be reported."""

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


def _count(caller: Caller, arguments: Arguments) -> list[Json]:
    for done in (0, 50, 100):
        caller.notifier.progress(done, 100, f"Completed step {done} of 100")
        time.sleep(STEP_SECONDS)
    return [text("Counted to a hundred.")]


def _keep_a_log(caller: Caller, arguments: Arguments) -> list[Json]:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        caller.notifier.log("info", said)
        time.sleep(STEP_SECONDS)
    return [text("Logged three things.")]


def _log_once(caller: Caller, arguments: Arguments) -> list[Json]:
    """Log once, without delay: the suite waits only half a second for the response."""
    caller.notifier.log("info", "Something worth knowing")
    return [text("Done.")]


def _change_tools(caller: Caller, arguments: Arguments) -> list[Json]:
    """Change the profile of the connection, as an owner does. Both profiles show all tools."""
    assert caller.principal.permission is not None
    kind, key = caller.principal.permission
    permission = kind.objects.get(pk=key)
    profiles = Permission.Profile
    permission.profile = profiles.AUTOMATIC if permission.profile == profiles.ALL else profiles.ALL
    permission.save(update_fields=["profile"])
    return [text("Changed.")]


def _change_prompts(caller: Caller, arguments: Arguments) -> list[Json]:
    """Create or rewrite a prompt of the caller, as an owner does on the pages."""
    OwnPrompt.objects.update_or_create(
        owner_id=caller.principal.owner_id,
        name="changing",
        defaults={"description": str(time.monotonic()), "messages": [{"role": "user", "text": "Hello"}]},
    )
    return [text("The list of prompts has changed.")]


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
    FixtureTool("test_tool_with_progress", "Tells how far it is.", _count, notifications={"progress"}),
    FixtureTool("test_tool_with_logging", "Logs three things.", _keep_a_log, notifications={"log"}),
    FixtureTool("test_logging_tool", "Has something to log for who asks for it.", _log_once, notifications={"log"}),
    FixtureTool("test_trigger_tool_change", "Changes what the list of tools depends on.", _change_tools),
    FixtureTool("test_trigger_prompt_change", "Changes the list of prompts.", _change_prompts),
    FixtureTool(
        "json_schema_2020_12_tool",
        "Takes arguments that use the whole vocabulary of JSON Schema.",
        lambda caller, args: [text(json.dumps(args))],
        WHOLE_VOCABULARY,
    ),
)
