"""The execution of workflows that consist of tool calls only.

A run walks through its steps from the first to the last, each time that it is started or resumed. A step whose record
says that it has ended is not repeated: its stored result is used. A record is stored before a tool is called, so that
a process that was killed leaves a step that has started, but not ended. Such a step runs again if its tool declares
that a repetition has no further effect (it only reads, or is idempotent); of any other tool nobody can know whether
it has taken effect, so the run stops until the caller decides.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from agents.arguments import check_values
from common.texts import translatable
from memories.errors import InvalidInput, LimitExceeded, MemoriesError
from workflows.conditions import described, holds
from workflows.definitions import Step, WorkflowDefinition, read_definition
from workflows.models import Run, RunStep
from workflows.records import Records
from workflows.references import Scope, filled

RUN_SECONDS = 25.0
"""The time after which a run stops between two steps, because clients abandon long calls. It can be resumed."""

State = RunStep.State


class OnUnknown(StrEnum):
    """The caller's decision about a step of which nobody knows whether it has taken effect."""

    REPEAT = "repeat"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The outcome of a tool call: its result, or the code and message of its error.

    With `is_waiting` the tool did not run, and the call can be repeated later.
    """

    result: Any = None
    error_code: str = ""
    message: str = ""
    is_waiting: bool = False
    memory_ids: tuple[int, ...] = ()


class ToolRunner(Protocol):
    """The tools, called with the permissions of the app that runs the workflow."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Call a tool."""
        ...

    def is_repeatable(self, tool: str) -> bool:
        """Return whether repeating a call of the tool has no further effect."""
        ...

    def report(self, done: int, path: str) -> None:
        """Report that `done` steps have ended and that `path` is next. May raise to stop the run there."""
        ...


class RunStopped(Exception):
    """The run stops in `state`, with a message for the caller."""

    def __init__(self, state: Run.State, message: str) -> None:
        super().__init__(message)
        self.state = state
        self.message = message


@dataclass(slots=True)
class Execution:
    """One attempt to finish a run."""

    definitions: Mapping[str, Any]
    records: Records
    runner: ToolRunner
    on_unknown: OnUnknown | None = None
    until: float = field(default_factory=lambda: time.monotonic() + RUN_SECONDS)
    done: int = 0

    def execute(self, name: str, given: Mapping[str, Any], prefix: str = "") -> Any:
        """Run the steps of the workflow `name` that have not ended. Return its output. Raises RunStopped."""
        definition = read_definition(self.definitions[name])
        scope = Scope(check_values(definition.arguments, given))
        last: Any = None
        for step in definition.steps:
            result = self._run(step, scope, f"{prefix}{step.id}")
            scope.results[step.id] = result
            last = result if result is not None else last
        return _output(definition, scope, last)

    def _run(self, step: Step, scope: Scope, path: str) -> Any:
        """Return the result of a step: null if it was skipped."""
        record = self.records.get(path)
        if record is not None and record.state in {State.DONE, State.SKIPPED}:
            self.done += 1
            return record.result
        if record is not None and record.state == State.FAILED:
            self.done += 1
            return {"ok": False, "error": {"code": record.error_code, "message": record.message}}
        self._check_time()
        self.runner.report(self.done, path)
        if record is None and step.when is not None and not holds(step.when, scope.value_of):
            message = translatable("Not so: %(condition)s", condition=described(step.when))
            self.records.end(path, step.tool, State.SKIPPED, message=message)
            self.done += 1
            return None
        try:
            result = self._result(step, scope, path, record)
        except MemoriesError as error:
            # Of the arguments of the step: nothing was called.
            result = self._failed(step, path, error.code, str(error))
        self.done += 1
        return result

    def _result(self, step: Step, scope: Scope, path: str, record: RunStep | None) -> Any:
        if record is not None and not step.workflow and self._is_skipped_as_unknown(step, path, record):
            return None
        arguments = filled(dict(step.arguments), scope.value_of)
        if step.workflow:
            result = self.execute(step.workflow, arguments, f"{path}/")
            memory_ids: tuple[int, ...] = ()
        else:
            self.records.start(path, step.tool)
            outcome = self.runner.call(step.tool, arguments)
            if outcome.is_waiting:
                self.records.end(path, step.tool, State.WAITING, code=outcome.error_code, message=outcome.message)
                message = f"The step {path} waits: resume this run with its run_id later. {outcome.message}"
                raise RunStopped(Run.State.WAITING, message)
            if outcome.error_code:
                return self._failed(step, path, outcome.error_code, outcome.message)
            result, memory_ids = outcome.result, outcome.memory_ids
        if step.expect is not None and not holds(step.expect, lambda each: scope.value_of(each, result)):
            problem = translatable(
                "The result is not as expected: %(condition)s. The step was carried out.",
                condition=described(step.expect),
            )
            return self._failed(step, path, "UNEXPECTED_RESULT", problem, memory_ids)
        self.records.end(path, step.tool, State.DONE, result=result, memory_ids=memory_ids)
        return result

    def _is_skipped_as_unknown(self, step: Step, path: str, record: RunStep) -> bool:
        """Decide about a step that has started before: return True if it is skipped, False if it is called again.

        Raises RunStopped if only the caller can decide.
        """
        has_perhaps_run = record.state in {State.STARTED, State.UNKNOWN}
        if not has_perhaps_run or self.runner.is_repeatable(step.tool) or self.on_unknown is OnUnknown.REPEAT:
            return False
        if self.on_unknown is OnUnknown.SKIP:
            message = "It is not known whether it was carried out. The app decided to continue."
            self.records.end(path, step.tool, State.SKIPPED, message=message)
            return True
        message = (
            f"It is not known whether the step {path} was carried out: the server was interrupted while it called "
            f"{step.tool}. Check the effect, then resume with on_unknown repeat or skip."
        )
        self.records.end(path, step.tool, State.UNKNOWN, message=message)
        raise RunStopped(Run.State.UNKNOWN, message)

    def _failed(self, step: Step, path: str, code: str, message: str, memory_ids: tuple[int, ...] = ()) -> Any:
        """Record a failure. Return the error as the result of the step if the run goes on. Raises RunStopped."""
        self.records.end(path, step.tool, State.FAILED, code=code, message=message, memory_ids=memory_ids)
        if not step.continues_on_error:
            raise RunStopped(Run.State.FAILED, f"The step {path} failed. {message}")
        return {"ok": False, "error": {"code": code, "message": message}}

    def _check_time(self) -> None:
        if time.monotonic() > self.until:
            raise RunStopped(Run.State.WAITING, "The run takes longer than one call may. Resume it to continue.")


def _output(definition: WorkflowDefinition, scope: Scope, last: Any) -> Any:
    if definition.output is None:
        return last
    try:
        return filled(definition.output, scope.value_of)
    except (InvalidInput, LimitExceeded) as error:
        raise RunStopped(Run.State.FAILED, f"output: {error.problem}") from None
