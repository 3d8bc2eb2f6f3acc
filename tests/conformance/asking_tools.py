"""The suite's tools that send requests to the client before they respond."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from mcpapi.calls.caller import Caller
from mcpapi.rpc.client_input import InputRequest, InputResponse
from tests.conformance.fixtures import ROOTS, STRING, Arguments, FixtureTool, Json, form, sample, text

NAMED = [{"const": f"value{number}", "title": f"Option {number}"} for number in (1, 2, 3)]
CHOICES = ["option1", "option2", "option3"]

WITH_DEFAULTS = form(
    "Review the fields and their defaults",
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
WITH_CHOICES = form(
    "Choose from every kind of list",
    untitledSingle={"type": "string", "enum": CHOICES},
    titledSingle={"type": "string", "oneOf": NAMED},
    legacyEnum={"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
    untitledMulti={"type": "array", "items": {"type": "string", "enum": CHOICES}},
    titledMulti={"type": "array", "items": {"anyOf": NAMED}},
)
YOUR_NAME = form("What is your name?", "name", name=STRING)
CONFIRM = form("Please confirm", "ok", ok={"type": "boolean"})
CAPITAL = sample("What is the capital of France?")


def _content_of(response: InputResponse) -> Mapping[str, Any]:
    content = response.get("content")
    return content if isinstance(content, dict) else {}


def _asks(say: str, **requests: InputRequest) -> Callable[[Caller, Arguments], list[Json]]:
    """Return a tool function that sends all requests at once, then responds with `say` and the client's responses."""

    def content(caller: Caller, arguments: Arguments) -> list[Json]:
        answers = caller.inputs.ask(**requests)
        return [text(f"{say}: {json.dumps(dict(answers))}")]

    return content


def _greet(caller: Caller, arguments: Arguments) -> list[Json]:
    answer = caller.inputs.ask(user_name=YOUR_NAME)["user_name"]
    return [text(f"Hello, {_content_of(answer).get('name')}!")]


def _step_by_step(caller: Caller, arguments: Arguments) -> list[Json]:
    name = caller.inputs.ask(step1=form("Step 1: What is your name?", "name", name=STRING))["step1"]
    color = caller.inputs.ask(step2=form("Step 2: What is your favorite color?", "color", color=STRING))["step2"]
    return [text(f"{_content_of(name).get('name')} likes {_content_of(color).get('color')}")]


def _what_the_client_can(caller: Caller, arguments: Arguments) -> list[Json]:
    requests = {"user_name": YOUR_NAME, "capital_question": CAPITAL, "client_roots": ROOTS}
    possible = {name: request for name, request in requests.items() if caller.inputs.can_answer(request)}
    return [text(json.dumps(dict(caller.inputs.ask(**possible))))]


def _ask_the_user(caller: Caller, arguments: Arguments) -> list[Json]:
    question = form(str(arguments.get("message")), "username", "email", username=STRING, email=STRING)
    answer = caller.inputs.ask(user=question)["user"]
    return [text(f"User response: action={answer['action']}, content={json.dumps(_content_of(answer))}")]


def _ask_the_model(caller: Caller, arguments: Arguments) -> list[Json]:
    answer = caller.inputs.ask(model=sample(str(arguments.get("prompt"))))["model"]
    return [text(f"LLM response: {json.dumps(answer['content'])}")]


def _one_argument(name: str) -> Json:
    return {"type": "object", "properties": {name: STRING}, "required": [name], "additionalProperties": False}


ASKING_TOOLS = (
    FixtureTool("test_elicitation", "Asks the user.", _ask_the_user, _one_argument("message")),
    FixtureTool("test_sampling", "Asks the client's model.", _ask_the_model, _one_argument("prompt")),
    FixtureTool(
        "test_elicitation_sep1034_defaults",
        "Asks for fields that have defaults.",
        _asks("Elicitation completed", fields=WITH_DEFAULTS),
    ),
    FixtureTool(
        "test_elicitation_sep1330_enums",
        "Asks for choices from lists.",
        _asks("Elicitation completed", fields=WITH_CHOICES),
    ),
    FixtureTool("test_missing_capability", "Needs sampling.", _asks("Sampled", answer=CAPITAL)),
    FixtureTool("test_streaming_elicitation", "Asks the user.", _greet),
    FixtureTool("test_input_required_result_elicitation", "Asks for a name.", _greet),
    FixtureTool("test_input_required_result_sampling", "Asks the model.", _asks("Sampled", capital_question=CAPITAL)),
    FixtureTool("test_input_required_result_list_roots", "Asks for roots.", _asks("Roots", client_roots=ROOTS)),
    FixtureTool("test_input_required_result_request_state", "Asks to confirm.", _asks("state-ok", confirm=CONFIRM)),
    FixtureTool("test_input_required_result_tampered_state", "Asks to confirm.", _asks("Confirmed", confirm=CONFIRM)),
    FixtureTool(
        "test_input_required_result_multiple_inputs",
        "Asks for three things at once.",
        _asks("All of it", user_name=YOUR_NAME, greeting=sample("Generate a greeting"), client_roots=ROOTS),
    ),
    FixtureTool("test_input_required_result_multi_round", "Asks twice.", _step_by_step),
    FixtureTool("test_input_required_result_capabilities", "Asks what the client can answer.", _what_the_client_can),
)
