"""The plan of a run: what each step would do, without calling any tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.arguments import check_values
from common.placeholders import Placeholder
from memories.errors import MemoriesError
from workflows.conditions import described, holds
from workflows.definitions import Step, WorkflowDefinition
from workflows.references import RESULT, STEPS, Scope, filled, placeholders_of

CheckTool = Callable[[str], str]
"""Returns why the app cannot call the tool of this name; an empty text if it can."""


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """The effect that a step would have. `arguments` have placeholders where they depend on the result of another step.

    `condition` is empty if the step runs in any case, `problem` if nothing prevents it. `would_run` is None if that
    depends on the result of another step.
    """

    path: str
    tool: str
    arguments: Any
    condition: str
    would_run: bool | None
    problem: str


def plan(
    definitions: Mapping[str, WorkflowDefinition],
    name: str,
    given: Mapping[str, Any],
    check_tool: CheckTool,
    prefix: str = "",
) -> Iterator[PlannedStep]:
    """Yield the tool calls of a run of the workflow `name` in their order, with those of the workflows that it runs.

    Raises InvalidInput about the arguments.
    """
    definition = definitions[name]
    scope = Scope(check_values(definition.arguments, given))
    for step in definition.steps:
        path = f"{prefix}{step.id}"
        would_run = _would_run(step, scope)
        if not step.workflow:
            arguments, problem = _arguments(step.arguments, scope)
            condition = described(step.when) if step.when else ""
            yield PlannedStep(path, step.tool, arguments, condition, would_run, problem or check_tool(step.tool))
        elif would_run is False:
            yield PlannedStep(path, "", dict(step.arguments), described(step.when or {}), would_run, "")
        else:
            yield from _plan_inner(definitions, step, scope, check_tool, path)


def _plan_inner(
    definitions: Mapping[str, WorkflowDefinition], step: Step, scope: Scope, check_tool: CheckTool, path: str
) -> Iterator[PlannedStep]:
    """Yield the steps of a workflow that a step runs. Its arguments may depend on results that are not known yet."""
    arguments, problem = _arguments(step.arguments, scope)
    try:
        yield from plan(definitions, step.workflow, arguments, check_tool, f"{path}/")
    except MemoriesError as error:
        # An argument of another type than text may have a placeholder until the run.
        later = "" if _depends_on_steps(step.arguments) else str(error)
        yield PlannedStep(path, "", arguments, described(step.when) if step.when else "", None, problem or later)


def _would_run(step: Step, scope: Scope) -> bool | None:
    if step.when is None:
        return True
    if _depends_on_steps(step.when):
        return None
    return holds(step.when, scope.value_of)


def _depends_on_steps(template: Any) -> bool:
    return any(placeholder.name.split(".")[0] in {STEPS, RESULT} for placeholder in placeholders_of(template))


def _arguments(template: Mapping[str, Any], scope: Scope) -> tuple[Any, str]:
    """Return the arguments as far as they are known, and what is wrong with them."""

    def value_or_itself(placeholder: Placeholder) -> Any:
        return str(placeholder) if placeholder.name.startswith(f"{STEPS}.") else scope.value_of(placeholder)

    try:
        return filled(dict(template), value_or_itself), ""
    except MemoriesError as error:
        return dict(template), str(error)
