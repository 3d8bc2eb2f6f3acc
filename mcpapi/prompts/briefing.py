"""The prompt `briefing`: the text of the tool, for a user to put at the beginning of a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from mcpapi.calls.caller import Caller
from mcpapi.prompts.base import Argument, Arguments, Message, Prompt, text_message
from mcpapi.tools import lenient
from mcpapi.tools.reading.briefing import BriefingArgs, brief
from memories.briefing.composition import DEFAULT_TOKENS
from memories.errors import InvalidInput
from memories.validation.budgets import MOST_TOKENS


def _render(caller: Caller, given: Arguments) -> Sequence[Message]:
    max_tokens = lenient.as_whole(given.get("max_tokens", DEFAULT_TOKENS))
    if not isinstance(max_tokens, int):
        raise InvalidInput(f"must be a whole number from 1 to {MOST_TOKENS}.", argument="max_tokens")
    args = BriefingArgs.model_validate({"max_tokens": max_tokens, "tags": given.get("tags", [])})
    # The text says itself that it is data.
    return [text_message(brief(caller, args).text)]


BRIEFING = Prompt(
    name="briefing",
    title="Who I am",
    description="The memories that matter most, as data for the start of a conversation.",
    arguments=[
        Argument("max_tokens", f"The maximum number of tokens; by default {DEFAULT_TOKENS}."),
        Argument("tags", "Only memories with any of these tags, separated by commas; by default all."),
    ],
    render=_render,
)
