"""The definition of a workflow: validation against the schema, and of what a schema cannot say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from agents.arguments import TypedArgument, read_arguments
from agents.definitions import check_name
from common.placeholders import Placeholder
from common.texts import translatable
from memories.errors import InvalidInput, LimitExceeded
from memories.validation.text import check_storable, refuse_secrets
from workflows.conditions import Condition, check_depth
from workflows.references import RESERVED, RESULT, STEPS, TODAY, placeholders_of
from workflows.schema import check_schema

MAX_BYTES = 200_000
MAX_DEPTH = 40
"""The most levels of objects and lists in a definition."""

RUN_TOOL = "run_workflow"

__all__ = ["Step", "WorkflowDefinition", "check_name", "parse_json", "read_definition"]


@dataclass(frozen=True, slots=True)
class Step:
    """A step. Exactly one of `instruction`, `tool` and `workflow` is not empty."""

    id: str
    title: str = ""
    instruction: str = ""
    tool: str = ""
    workflow: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    when: Condition | None = None
    expect: Condition | None = None
    continues_on_error: bool = False


@dataclass(frozen=True, slots=True)
class WorkflowDefinition:
    """A valid definition. `data` is the JSON that it was read from."""

    title: str
    description: str
    arguments: tuple[TypedArgument, ...]
    steps: tuple[Step, ...]
    output: Any
    data: Mapping[str, Any]

    @property
    def used_workflows(self) -> list[str]:
        """The names of the workflows that its steps run, in order and without duplicates."""
        return list(dict.fromkeys(step.workflow for step in self.steps if step.workflow))

    @property
    def has_instructions(self) -> bool:
        """Whether a step is for an assistant, so that the workflow cannot be run without one."""
        return any(step.instruction for step in self.steps)


def parse_json(text: str | bytes) -> Any:
    """Return the JSON value in `text`. Raises InvalidInput with line and column, or LimitExceeded."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(raw) > MAX_BYTES:
        raise LimitExceeded(
            translatable(
                "has %(total)s bytes; at most %(max_bytes)s are allowed.", total=len(raw), max_bytes=MAX_BYTES
            ),
            argument="definition",
        )
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(
            translatable(
                "is not JSON: %(problem)s at line %(line)s, column %(column)s.",
                problem=error.msg,
                line=error.lineno,
                column=error.colno,
            ),
            argument="definition",
        ) from None


def read_definition(value: object) -> WorkflowDefinition:
    """Return the definition. Raises InvalidInput, LimitExceeded or SecretRejected that names the place."""
    if _is_deeper(value, MAX_DEPTH):
        raise InvalidInput(
            translatable("is nested more than %(max_depth)s levels deep.", max_depth=MAX_DEPTH), argument="definition"
        )
    data = check_schema(value)
    encoded = orjson.dumps(data).decode()
    if len(encoded) > MAX_BYTES:
        raise LimitExceeded(
            translatable(
                "has %(total)s bytes; at most %(max_bytes)s are allowed.", total=len(encoded), max_bytes=MAX_BYTES
            ),
            argument="definition",
        )
    for text in _texts(data):
        check_storable("definition", text)
    refuse_secrets("definition", encoded)
    arguments = read_arguments(data.get("arguments", []))
    if reserved := next((argument.name for argument in arguments if argument.name in RESERVED), None):
        raise InvalidInput(
            translatable("%(reserved)s is the name of a placeholder. Choose another.", reserved=reserved),
            argument="arguments",
        )
    definition = WorkflowDefinition(
        title=" ".join(data.get("title", "").split()),
        description=data["description"].strip(),
        arguments=arguments,
        steps=tuple(_step(step) for step in data["steps"]),
        output=data.get("output"),
        data=data,
    )
    _check_steps(definition)
    return definition


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deeper(each, levels - 1) for each in inner)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value


def _step(data: Mapping[str, Any]) -> Step:
    return Step(
        id=data["id"],
        title=" ".join(data.get("title", "").split()),
        instruction=data.get("instruction", "").strip(),
        tool=data.get("tool", ""),
        workflow=data.get("workflow", ""),
        arguments=data.get("arguments", {}),
        when=data.get("when"),
        expect=data.get("expect"),
        continues_on_error=data.get("on_error") == "continue",
    )


def _check_steps(definition: WorkflowDefinition) -> None:
    ids = [step.id for step in definition.steps]
    arguments = {argument.name for argument in definition.arguments}
    for position, step in enumerate(definition.steps):
        place = f"steps.{position}"
        # A pattern of the schema ends before a final line break, too.
        if step.id != step.id.strip():
            raise InvalidInput(translatable("must not end with a line break."), argument=f"{place}.id")
        if step.id in ids[:position]:
            raise InvalidInput(
                translatable("the id %(id)s is used twice. Each id must be unique.", id=step.id), argument=place
            )
        if step.tool == RUN_TOOL:
            raise InvalidInput(
                translatable("%(run_tool)s cannot be a step. Use workflow in place of tool.", run_tool=RUN_TOOL),
                argument=place,
            )
        for name, condition in (("when", step.when), ("expect", step.expect)):
            if condition is not None:
                check_depth(condition, f"{place}.{name}")
        usable = _Usable(arguments, ids, _with_results(definition.steps[:position]))
        usable.check(f"{place}.instruction", step.instruction)
        usable.check(f"{place}.arguments", step.arguments)
        usable.check(f"{place}.when", step.when)
        usable.check(f"{place}.expect", step.expect, has_result=True)
    _Usable(arguments, ids, _with_results(definition.steps)).check("output", definition.output)


def _with_results(steps: Sequence[Step]) -> set[str]:
    return {step.id for step in steps if not step.instruction}


@dataclass(frozen=True, slots=True)
class _Usable:
    """The names that the placeholders at one place can have. `steps` are those before it that have a result."""

    arguments: Collection[str]
    all_steps: Collection[str]
    steps: Collection[str]

    def check(self, place: str, template: Any, *, has_result: bool = False) -> None:
        """Raise InvalidInput about `place` for a placeholder that has no value there."""
        for placeholder in placeholders_of(template):
            problem = self._problem(placeholder, has_result=has_result)
            if problem:
                raise InvalidInput(f"{placeholder} {problem}", argument=place)

    def _problem(self, placeholder: Placeholder, *, has_result: bool) -> str:
        name, *path = placeholder.name.split(".")
        if placeholder.argument is not None or placeholder.literal is not None:
            return "is unknown: a placeholder of a workflow has no colon."
        if name == RESULT:
            return "" if has_result else "can be used only in expect: write {steps.ID} for the result of a step."
        if name == STEPS:
            return self._step_problem(path)
        if name in self.arguments or name == TODAY:
            return "" if not path else "has parts, but arguments have none."
        return "is not an argument. Add it to the arguments, or write {{name}} for literal braces."

    def _step_problem(self, path: Sequence[str]) -> str:
        if not path or path[0] not in self.all_steps:
            return "names a step that does not exist."
        if path[0] not in self.steps:
            return "is circular: it needs the result of this step or a later one, or of an instruction."
        return ""
