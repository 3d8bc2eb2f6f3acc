"""Workflows as prompts, which give an assistant their steps."""

from __future__ import annotations

from collections.abc import Sequence

from agents.arguments import check_values
from mcpapi.calls.caller import Caller
from mcpapi.prompts.agents import as_prompt_argument
from mcpapi.prompts.base import Arguments, Message, Prompt, text_message
from memories.errors import MemoriesError, NotFound
from workflows.instructions import instructions
from workflows.selectors import StoredWorkflow, get_workflow, list_workflows


def workflow_prompts(owner_id: int) -> list[Prompt]:
    """Return the owner's workflows as prompts, by name. One query. One that is not valid any more is left out."""
    prompts = (_as_prompt(workflow) for workflow in list_workflows(owner_id))
    return [prompt for prompt in prompts if prompt is not None]


def find_workflow_prompt(owner_id: int, name: str) -> Prompt | None:
    """Return the workflow of this name as a prompt, or None. One query."""
    try:
        return _as_prompt(get_workflow(owner_id, name))
    except NotFound:
        return None


def _as_prompt(workflow: StoredWorkflow) -> Prompt | None:
    try:
        definition = workflow.definition
    except MemoriesError:
        return None

    def render(caller: Caller, given: Arguments) -> Sequence[Message]:
        return [text_message(instructions(workflow.name, definition, check_values(definition.arguments, given)))]

    arguments = [as_prompt_argument(argument) for argument in definition.arguments]
    return Prompt(workflow.name, workflow.title, workflow.description, arguments, render)
