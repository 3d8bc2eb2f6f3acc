"""The suite's prompts."""

from __future__ import annotations

from collections.abc import Sequence

from mcpapi.calls.caller import Caller
from mcpapi.prompts.base import Argument, Arguments, Message, Prompt, text_message
from tests.conformance.fixtures import STRING, Json, embedded, form, image


def _message(content: Json) -> Message:
    return {"role": "user", "content": content}


def _with_arguments(caller: Caller, given: Arguments) -> Sequence[Message]:
    return [text_message(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]


def _with_resource(caller: Caller, given: Arguments) -> Sequence[Message]:
    resource = embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing.")
    return [_message(resource), text_message("Please process the embedded resource above.")]


def _with_an_answer(caller: Caller, given: Arguments) -> Sequence[Message]:
    question = form("What context should the prompt use?", "context", context=STRING)
    answer = caller.inputs.ask(user_context=question)["user_context"]
    return [text_message(f"The context is {answer.get('content')}.")]


PROMPTS = (
    Prompt(
        "test_simple_prompt",
        "Simple",
        "A prompt without arguments.",
        (),
        lambda caller, given: [text_message("This is a simple prompt for testing.")],
    ),
    Prompt(
        "test_prompt_with_arguments",
        "With arguments",
        "A prompt with two arguments.",
        (Argument("arg1", "The first.", required=True), Argument("arg2", "The second.", required=True)),
        _with_arguments,
    ),
    Prompt(
        "test_prompt_with_embedded_resource",
        "With a resource",
        "A prompt that holds a resource.",
        (Argument("resourceUri", "The resource to hold.", required=True),),
        _with_resource,
    ),
    Prompt(
        "test_prompt_with_image",
        "With a picture",
        "A prompt that holds a picture.",
        (),
        lambda caller, given: [_message(image()), text_message("Please analyze the image above.")],
    ),
    Prompt(
        "test_input_required_result_prompt",
        "With an answer",
        "A prompt that asks before it answers.",
        (),
        _with_an_answer,
    ),
)
