"""The steps of a workflow, as pages draw them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import orjson
from django.utils.translation import gettext, gettext_noop

from common.pages.translated import translated
from common.placeholders import placeholders_in
from common.provided import Provided
from memories.access import View
from memories.models import Memory
from workflows.conditions import described
from workflows.definitions import Step, WorkflowDefinition
from workflows.models import Run, RunStep
from workflows.references import STEPS, placeholders_of


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """A step in words. `kind` is instruction, tool or workflow; `uses` are the steps whose results it needs.

    `target` is the tool or workflow, and `what` says what the tool is for.
    """

    number: int
    id: str
    title: str
    kind: str
    target: str
    what: str
    instruction: str
    arguments: str
    when: str
    expect: str
    continues_on_error: bool
    uses: Sequence[str]


SHOWN_MEMORIES = 5
"""The number of a step's memories that are shown with their texts. The others are counted."""

MEMORY_CHARS = 60

_NOT_ENDED = (RunStep.State.STARTED, RunStep.State.WAITING, RunStep.State.UNKNOWN)

NEEDS_APPROVAL = "APPROVAL_TIMED_OUT"
"""The error code of a step that waits for the owner's approval. See docs/rest.md."""

UNDECIDED = frozenset({"", "asked"})
REJECTED = "rejected"

Asked = tuple[str, str, datetime]
"""A permission, a tool and a time, until which the app has asked for approval."""

decisions_about: Provided[[int, Sequence[Asked]], list[str]] = Provided("the owner's decisions about calls")
"""Function from an owner and what was asked to the states of the last requests for approval."""

tool_title: Provided[[str], str] = Provided("what a tool of a step is for, in the words of the pages")

_DECIDED = {
    "approved": gettext_noop("You approved the step “{step}”. Tell {app} to go on."),
    "used": gettext_noop("You approved the step “{step}”. Tell {app} to go on."),
    REJECTED: gettext_noop("You rejected the step “{step}”, and it was not carried out. You need not do anything."),
    "expired": gettext_noop(
        "The request to approve the step “{step}” has expired. If {app} goes on, it asks you again."
    ),
}


@dataclass(frozen=True, slots=True)
class DrawnRecord:
    """The record of a step of a run: its name, what its tool is for, its message, and its memories as ids and texts."""

    step: RunStep
    name: str
    tool: str
    message: str
    memories: Sequence[tuple[int, str]]
    more_memories: int


def drawn_steps(definition: WorkflowDefinition) -> list[DrawnStep]:
    """Return the steps in their order."""
    return [_drawn(number, step) for number, step in enumerate(definition.steps, start=1)]


def decisions_on(owner_id: int, runs: Sequence[Run]) -> dict[UUID, str]:
    """Return the states of the requests for approval for which runs of an owner wait, by the ids of these runs.

    See `decisions_about`. A run that waits for none has no state. Two queries; none if no run waits.
    """
    waiting = [run for run in runs if run.state == Run.State.WAITING]
    if not waiting:
        return {}
    steps = RunStep.objects.filter(run__in=waiting).order_by("run_id", "-started_at", "-pk").distinct("run_id")
    last = {step.run_id: step for step in steps if step.error_code == NEEDS_APPROVAL}
    asking = [(run, last[run.pk]) for run in waiting if run.pk in last]
    calls = [(run.permission, step.tool, step.ended_at or run.updated_at) for run, step in asking]
    return {run.pk: state for (run, _), state in zip(asking, decisions_about(owner_id, calls), strict=True)}


def step_name(definitions: Sequence[WorkflowDefinition], path: str) -> str:
    """Return the titles of the steps of a path, such as "Look back / Note it". A step without one has its id.

    `definitions` are those of the workflow and of the workflows that its steps run. A title that depends on which of
    them is meant is left out.
    """
    every = {(step.id, step.title) for definition in definitions for step in definition.steps}
    known = Counter(step_id for step_id, _ in every)
    titles = {step_id: title for step_id, title in every if title and known[step_id] == 1}
    return " / ".join(titles.get(step_id, step_id) for step_id in path.split("/"))


def explanation(
    definitions: Sequence[WorkflowDefinition], run: Run, steps: Sequence[RunStep], decision: str | None
) -> str:
    """Return what the state of a run means for the owner; its own message is for the app. See `decisions_on`."""
    last = steps[-1] if steps else None
    words = {"app": run.client_name, "step": step_name(definitions, last.path) if last else ""}
    match run.state:
        case Run.State.WAITING if decision in _DECIDED:
            said = gettext(_DECIDED[decision])
        case Run.State.WAITING if decision is not None:
            said = gettext("The step “{step}” needs your approval. Once you have decided, tell {app} to go on.")
        case Run.State.WAITING if last and last.error_code == "budget_exceeded":
            said = gettext("A budget is used up. When it has reset, tell {app} to go on.")
        case Run.State.WAITING:
            said = gettext("It can go on: tell {app} to resume it.")
        case Run.State.UNKNOWN:
            said = gettext(
                "OwnSona was interrupted in the step “{step}”, and does not know whether it took effect. Check that, "
                "and tell {app} to repeat the step or to skip it."
            )
        case Run.State.EXPIRED:
            said = gettext("{app} did not resume it for seven days.")
        case Run.State.FAILED if last and last.state == RunStep.State.FAILED:
            said = gettext("The step “{step}” failed.")
        case _:
            return translated(run.message)
    return said.format(**words)


def drawn_records(definitions: Sequence[WorkflowDefinition], run: Run, steps: Sequence[RunStep]) -> list[DrawnRecord]:
    """Return the records of a run for its page. One query."""
    shown = {memory_id for step in steps for memory_id in step.memory_ids[:SHOWN_MEMORIES]}
    texts = dict(Memory.objects.visible_to(View.whole(run.owner_id)).filter(pk__in=shown).values_list("pk", "text"))
    return [
        DrawnRecord(
            step,
            step_name(definitions, step.path),
            tool_title(step.tool),
            message,
            [(pk, _shortened(texts[pk])) for pk in step.memory_ids[:SHOWN_MEMORIES] if pk in texts],
            max(0, len(step.memory_ids) - SHOWN_MEMORIES),
        )
        for step, message in zip(steps, shown_messages(definitions, steps), strict=True)
    ]


def _shortened(text: str) -> str:
    return text if len(text) <= MEMORY_CHARS else f"{text[: MEMORY_CHARS - 1].rstrip()}…"


def shown_messages(definitions: Sequence[WorkflowDefinition], steps: Sequence[RunStep]) -> list[str]:
    """Return the messages of the steps of a run, with their conditions, in the language of the page.

    `definitions` are those of the workflow and of the workflows that its steps run. The message of a step that has not
    ended tells the app what to do, and is left out: `explanation` tells the owner.
    """
    every = [step for definition in definitions for step in definition.steps]
    conditions = [condition for step in every for condition in (step.when, step.expect) if condition]
    words = {described(condition): described(condition, gettext) for condition in conditions}
    # The longest first: a condition can be part of another one.
    longest_first = dict(sorted(words.items(), key=lambda pair: len(pair[0]), reverse=True))
    messages = ["" if step.state in _NOT_ENDED else translated(step.message) for step in steps]
    return [_with_words(message, longest_first) for message in messages]


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
        what=tool_title(step.tool) if step.tool else "",
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
