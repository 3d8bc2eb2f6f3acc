"""The tool `forget_batch`."""

from __future__ import annotations

from django.conf import settings
from pydantic import BaseModel, Field

from common.risks import Risk
from common.scopes import ADMIN
from common.texts import translatable
from mcpapi.approvals.approval_store import RiskyAction
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag, MemoryIds
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.shapes import FailureShape, shape_failure
from memories.drafts import check_batch_size, checked_reason
from memories.queries import selectors
from memories.writing import lifecycle
from memories.writing.lifecycle import ForgetOutcome


class ForgetBatchArgs(Args):
    """The memories to forget."""

    ids: MemoryIds = Field(description="The memories' ids.")
    reason: str | None = Field(None, description="The reason, kept with each tombstone.")
    dry_run: Flag = Field(False, description="Only report what would happen.")
    compact: Flag = Field(
        False, description="Omit memories that were forgotten as asked from results; summary counts them."
    )


class ForgottenItem(BaseModel):
    """The outcome for one memory."""

    input_index: int = Field(description="The id's position in the call, from 0.")
    id: int
    ok: bool
    already_deleted: bool | None = None
    message: str | None = None
    error: FailureShape | None = None


class ForgetSummary(BaseModel):
    """The totals of the call."""

    total: int
    deleted: int
    already_deleted: int
    errors: int


class ForgetBatchResult(Result):
    """The outcome of each id, by position, and the totals. With compact, only outcomes other than as asked."""

    dry_run: bool
    results: list[ForgottenItem]
    summary: ForgetSummary


def _risk(caller: Caller, args: ForgetBatchArgs) -> RiskyAction | None:
    check_batch_size("ids", args.ids)
    memories = tuple(selectors.memories_with_ids(caller.view, args.ids).not_deleted())
    if args.dry_run or len(memories) <= settings.APPROVAL_BULK_FORGET:
        return None
    reason = checked_reason(args.reason) or ""
    return RiskyAction(
        Risk.BULK_FORGET, translatable("Forget %(count)s memories", count=len(memories)), memories, reason
    )


@tool(title="Forget many memories", scope=ADMIN, hints=Hints(destructive=True, idempotent=True), risk=_risk)
def forget_batch(caller: Caller, args: ForgetBatchArgs) -> ForgetBatchResult:
    """Forget many memories in one call; each stays as a tombstone that the owner can restore. First show the user what
    would be forgotten (dry_run). A bad id does not affect the others."""
    outcomes = lifecycle.forget_memories(caller.actor, args.ids, reason=args.reason, dry_run=args.dry_run)
    results = [
        _shape_item(index, memory_id, outcome, args.dry_run)
        for index, (memory_id, outcome) in enumerate(zip(args.ids, outcomes, strict=True))
    ]
    caller.record_memories(result.id for result in results if result.ok)
    already = sum(result.already_deleted is True for result in results)
    succeeded = sum(result.ok for result in results)
    summary = ForgetSummary(
        total=len(results), deleted=succeeded - already, already_deleted=already, errors=len(results) - succeeded
    )
    shown = [result for result in results if not args.compact or result.error or result.already_deleted]
    return ForgetBatchResult(dry_run=args.dry_run, results=shown, summary=summary)


def _shape_item(index: int, memory_id: int, outcome: ForgetOutcome | Exception, dry_run: bool) -> ForgottenItem:
    if isinstance(outcome, Exception):
        return ForgottenItem(input_index=index, id=memory_id, ok=False, error=shape_failure(outcome))
    message = "Already forgotten" if outcome.already_deleted else "Would soft-delete" if dry_run else "Forgotten"
    return ForgottenItem(
        input_index=index, id=memory_id, ok=True, already_deleted=outcome.already_deleted, message=message
    )
