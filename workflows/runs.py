"""Runs of workflows: starting, resuming, and what stays of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.arguments import check_values
from common.advisory_locks import NUMBER_BITS, AdvisoryLock, locked_if_free
from common.texts import translatable
from memories.database import refuse_growth
from memories.errors import InvalidInput, LimitExceeded, MemoriesError, NotFound
from memories.validation.text import make_storable
from workflows.definitions import WorkflowDefinition, read_definition
from workflows.execution import Execution, OnUnknown, RunStopped, ToolRunner
from workflows.graph import reachable
from workflows.models import Run, RunStep, Workflow
from workflows.records import MAX_MESSAGE_CHARS, Records

MAX_UNFINISHED = 20
"""The most unfinished runs of one app."""

MAX_KEPT = 500
"""The most runs of an owner that are kept. The oldest that have ended are deleted."""

UNFINISHED_DAYS = 7
KEPT_DAYS = 30


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A run after an attempt to finish it. `output` is null unless it is done."""

    run: Run
    steps: list[RunStep]
    output: Any = None


@dataclass(frozen=True, slots=True)
class Runnable:
    """A workflow with those that its steps run, ready to be run: `definitions` by name."""

    name: str
    version: int
    definitions: Mapping[str, Mapping[str, Any]]

    def parsed(self) -> dict[str, WorkflowDefinition]:
        """Return the definitions, parsed."""
        return {name: read_definition(definition) for name, definition in self.definitions.items()}


def load_runnable(owner_id: int, name: str) -> Runnable:
    """Return a workflow and what it runs. Raises NotFound, and InvalidInput if it cannot be run without an assistant.

    One query.
    """
    rows = {row.name: row for row in Workflow.objects.filter(owner_id=owner_id)}
    if name not in rows:
        raise NotFound(
            translatable(
                "There is no workflow %(name)s. The resource ownsona://workflows/ lists them.", name=repr(name[:100])
            )
        )
    needed = reachable(name, {other: row.definition for other, row in rows.items()})
    runnable = Runnable(name, rows[name].version, needed)
    for used, definition in runnable.parsed().items():
        if definition.has_instructions:
            steps = ", ".join(step.id for step in definition.steps if step.instruction)
            raise InvalidInput(
                translatable(
                    "the workflow %(used)s has instructions (%(steps)s), which only an assistant can follow. Get "
                    "its steps with prompts/get or from ownsona://workflows/%(used)s, and carry them out.",
                    used=used,
                    steps=steps,
                ),
                argument="id",
            )
    return runnable


def start_run(
    owner_id: int,
    runnable: Runnable,
    given: Mapping[str, Any],
    runner: ToolRunner,
    *,
    permission: str,
    client_name: str,
) -> RunOutcome:
    """Store a new run and carry it out. Raises InvalidInput, LimitExceeded or StorageFull before anything has run."""
    refuse_growth()
    try:
        check_values(read_definition(runnable.definitions[runnable.name]).arguments, given)
    except MemoriesError as error:
        raise InvalidInput(str(error), argument="arguments") from None
    own = Run.objects.filter(owner_id=owner_id, permission=permission, state__in=Run.UNFINISHED)
    if own.count() >= MAX_UNFINISHED:
        raise LimitExceeded(
            translatable(
                "%(max_unfinished)s runs of this app have not ended. Resume one of them first.",
                max_unfinished=MAX_UNFINISHED,
            )
        )
    run = Run.objects.create(
        owner_id=owner_id,
        workflow=runnable.name,
        version=runnable.version,
        permission=permission,
        client_name=client_name,
        definitions=dict(runnable.definitions),
        arguments=dict(given),
    )
    with _working_on(run):
        return _carry_out(run, runner, None)


def resume_run(
    owner_id: int, run_id: uuid.UUID, name: str, runner: ToolRunner, on_unknown: OnUnknown | None, *, permission: str
) -> RunOutcome:
    """Continue a run of the same app. Of one that has ended, return the outcome. Raises NotFound and InvalidInput."""
    run = Run.objects.filter(pk=run_id, owner_id=owner_id, permission=permission, workflow=name).first()
    if run is None:
        raise NotFound(
            translatable(
                "There is no run %(run_id)s of %(name)s that this app has started.", run_id=run_id, name=name[:100]
            )
        )
    with _working_on(run):
        # What another process has done until it released the lock.
        run.refresh_from_db()
        if run.state not in Run.UNFINISHED:
            return _outcome(run)
        return _carry_out(run, runner, on_unknown)


@contextmanager
def _working_on(run: Run) -> Iterator[None]:
    """Work on a run alone. Raises InvalidInput if another call does. The lock ends with the process."""
    with locked_if_free(AdvisoryLock.WORKFLOW_RUN, run.pk.int % (1 << NUMBER_BITS)) as is_free:
        if not is_free:
            raise InvalidInput(
                translatable("another call is carrying this run out now. Wait for it."), argument="run_id"
            )
        yield


def _carry_out(run: Run, runner: ToolRunner, on_unknown: OnUnknown | None) -> RunOutcome:
    if run.definitions is None or run.arguments is None:
        return _ended(run, Run.State.FAILED, "A memory that this run had used was deleted for good.")
    _set(run, Run.State.RUNNING, "")
    execution = Execution(run.definitions, Records(run), runner, on_unknown)
    try:
        output = execution.execute(run.workflow, run.arguments)
    except RunStopped as stopped:
        if stopped.state == Run.State.FAILED:
            return _ended(run, stopped.state, stopped.message)
        _set(run, stopped.state, stopped.message)
        return _outcome(run)
    return _ended(run, Run.State.DONE, "", output)


def _set(run: Run, state: Run.State, message: str) -> None:
    run.state, run.message, run.updated_at = state, make_storable(message, MAX_MESSAGE_CHARS), timezone.now()
    run.save(update_fields=["state", "message", "updated_at"])


def _ended(run: Run, state: Run.State, message: str, output: Any = None) -> RunOutcome:
    """Record the end of a run, and delete the texts that it has kept. The outcome still has them."""
    outcome = RunOutcome(run, list(run.steps.order_by("started_at", "pk")), output)
    with transaction.atomic():
        run.definitions = run.arguments = None
        run.save(update_fields=["definitions", "arguments"])
        _set(run, state, message)
        run.steps.update(result=None)
    return outcome


def _outcome(run: Run) -> RunOutcome:
    return RunOutcome(run, list(run.steps.order_by("started_at", "pk")))


def clean_up_runs() -> None:
    """Let runs expire that nobody has resumed, and delete old ones."""
    now = timezone.now()
    with transaction.atomic():
        expired = Run.objects.filter(state__in=Run.UNFINISHED, updated_at__lt=now - timedelta(days=UNFINISHED_DAYS))
        ids = list(expired.values_list("pk", flat=True))
        RunStep.objects.filter(run__in=ids).update(result=None)
        Run.objects.filter(pk__in=ids).update(
            state=Run.State.EXPIRED,
            definitions=None,
            arguments=None,
            message=f"Nobody resumed it for {UNFINISHED_DAYS} days.",
        )
    ended = Run.objects.exclude(state__in=Run.UNFINISHED)
    ended.filter(updated_at__lt=now - timedelta(days=KEPT_DAYS)).delete()
    for owner_id in ended.values_list("owner_id", flat=True).distinct():
        newest = ended.filter(owner_id=owner_id).order_by("-started_at")
        ended.filter(owner_id=owner_id).exclude(pk__in=newest.values("pk")[:MAX_KEPT]).delete()
