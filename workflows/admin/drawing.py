"""The steps of a workflow, as pages draw them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson
from django.utils.translation import gettext

from common.pages.translated import translated
from common.placeholders import placeholders_in
from workflows.conditions import described
from workflows.definitions import Step, WorkflowDefinition
from workflows.models import RunStep
from workflows.references import STEPS, placeholders_of


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """A step in words. `kind` is instruction, tool or workflow; `uses` are the steps whose results it needs."""

    number: int
    id: str
    title: str
    kind: str
    target: str
    instruction: str
    arguments: str
    when: str
    expect: str
    continues_on_error: bool
    uses: Sequence[str]


def drawn_steps(definition: WorkflowDefinition) -> list[DrawnStep]:
    """Return the steps in their order."""
    return [_drawn(number, step) for number, step in enumerate(definition.steps, start=1)]


def shown_messages(definitions: Sequence[WorkflowDefinition], steps: Sequence[RunStep]) -> list[str]:
    """Return the messages of the steps of a run, with their conditions, in the language of the page.

    `definitions` are those of the workflow and of the workflows that its steps run.
    """
    every = [step for definition in definitions for step in definition.steps]
    conditions = [condition for step in every for condition in (step.when, step.expect) if condition]
    words = {described(condition): described(condition, gettext) for condition in conditions}
    # The longest first: a condition can be part of another one.
    longest_first = dict(sorted(words.items(), key=lambda pair: len(pair[0]), reverse=True))
    return [_with_words(translated(step.message), longest_first) for step in steps]


def _with_words(message: str, words: Mapping[str, str]) -> str:
    return next((message.replace(english, own) for english, own in words.items() if english in message), message)


def _drawn(number: int, step: Step) -> DrawnStep:
    arguments = orjson.dumps(dict(step.arguments), option=orjson.OPT_INDENT_2).decode() if step.arguments else ""
    return DrawnStep(
        number=number,
        id=step.id,
        title=step.title,
        kind="instruction" if step.instruction else "tool" if step.tool else "workflow",
        target=step.tool or step.workflow,
        instruction=step.instruction,
        arguments=arguments,
        when=described(step.when, gettext) if step.when else "",
        expect=described(step.expect, gettext) if step.expect else "",
        continues_on_error=step.continues_on_error,
        uses=_used_steps(step),
    )


def _used_steps(step: Step) -> list[str]:
    found = [*placeholders_of([dict(step.arguments), step.when, step.expect]), *placeholders_in(step.instruction)]
    names = (placeholder.name.split(".") for placeholder in found)
    return list(dict.fromkeys(parts[1] for parts in names if parts[0] == STEPS and len(parts) > 1))
