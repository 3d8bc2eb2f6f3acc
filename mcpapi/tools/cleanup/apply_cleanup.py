"""The tool `apply_cleanup`."""

from __future__ import annotations

from typing import Annotated

from django.conf import settings
from pydantic import BaseModel, BeforeValidator, Field

from common.risks import Risk
from common.scopes import ADMIN
from common.texts import translatable
from mcpapi.approvals.approval_store import RiskyAction
from mcpapi.calls.caller import Caller
from mcpapi.tools import lenient
from mcpapi.tools.arguments import Integer, MemoryId
from mcpapi.tools.base import Args, Hints, Result, tool
from memories.cleanup.plans import LineOutcome, apply_plan, get_plan
from memories.models import CleanupLine
from memories.queries import selectors

Lines = Annotated[list[Annotated[Integer, Field(ge=0)]], Field(fail_fast=True), BeforeValidator(lenient.as_ids)]
_TAKES_AWAY = {CleanupLine.Action.FORGET, CleanupLine.Action.MERGE, CleanupLine.Action.SPLIT}


class ApplyCleanupArgs(Args):
    """A plan, and which of its lines to apply."""

    id: MemoryId = Field(description="The plan's id.")
    lines: Lines | None = Field(None, description="The numbers of the lines to apply; by default all open ones.")


class LineResult(BaseModel):
    """What became of a line."""

    line: int
    state: str = Field(description="applied, failed, or stale: its memories have changed since, or already match it.")
    message: str = ""
    new_ids: list[int] = Field(description="The memories that it created.")


class ApplyCleanupResult(Result):
    """The outcome of each line."""

    plan_id: int
    change_set: str = Field(description="The id of these changes; undo takes it.")
    applied: int
    results: list[LineResult]


def _risk(caller: Caller, args: ApplyCleanupArgs) -> RiskyAction | None:
    plan = get_plan(caller.actor, args.id)
    wanted = [
        line
        for line in plan.lines.all()
        if line.state == CleanupLine.State.OPEN
        and line.action in _TAKES_AWAY
        and (args.lines is None or line.position in args.lines)
    ]
    ids = {memory_id for line in wanted for memory_id in line.memory_ids}
    if len(ids) <= settings.APPROVAL_BULK_FORGET:
        return None
    memories = tuple(selectors.changeable_memories_with_ids(caller.actor, ids))
    summary = translatable("Apply %(count)s lines of clean-up plan %(plan)s", count=len(wanted), plan=plan.pk)
    return RiskyAction(Risk.BULK_FORGET, summary, memories, plan.reason)


@tool(title="Apply a clean-up plan", scope=ADMIN, hints=Hints(destructive=True), risk=_risk)
def apply_cleanup(caller: Caller, args: ApplyCleanupArgs) -> ApplyCleanupResult:
    """Apply lines of a clean-up plan that this app has proposed, after the user has agreed to each. Lines whose
    memories have changed since are skipped. Everything can be undone with the change_set."""
    outcomes = apply_plan(caller.actor, args.id, args.lines)
    caller.record_memories(memory_id for outcome in outcomes for memory_id in outcome.memory_ids)
    return ApplyCleanupResult(
        plan_id=args.id,
        change_set=str(caller.actor.change_set),
        applied=sum(outcome.state == CleanupLine.State.APPLIED for outcome in outcomes),
        results=[_shape(outcome) for outcome in outcomes],
    )


def _shape(outcome: LineOutcome) -> LineResult:
    return LineResult(
        line=outcome.position, state=outcome.state, message=outcome.message, new_ids=list(outcome.new_ids)
    )
