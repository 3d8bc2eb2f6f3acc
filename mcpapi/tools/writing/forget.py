"""The tool `forget`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from common.risks import Risk
from common.scopes import ADMIN, WRITE, Scope
from common.texts import translatable
from mcpapi.approvals.approval_store import RiskyAction
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag, MemoryId
from mcpapi.tools.base import Args, Hints, Result, tool
from memories.errors import InvalidInput, NotFound
from memories.queries import selectors
from memories.writing import lifecycle
from memories.writing.lifecycle import ForgetOutcome

Message = Literal[
    "Forgotten",
    "Hard deleted",
    "Would soft-delete",
    "Would hard-delete",
    "Would update tombstone (already soft-deleted)",
]


class ForgetArgs(Args):
    """A memory and how to forget it."""

    id: MemoryId = Field(description="The memory's id.")
    hard_delete: Flag = Field(False, description="Remove every trace permanently; needs the scope memory:admin.")
    reason: str | None = Field(None, description="The reason, kept with the tombstone.")
    replaced_by_id: MemoryId | None = Field(None, description="The memory that replaces it.")
    dry_run: Flag = Field(False, description="Only report what would happen.")


class ForgetResult(Result):
    """The outcome, or with `dry_run` what would happen."""

    memory_id: int
    dry_run: bool
    already_deleted: bool
    message: Message


def _needed_scope(args: ForgetArgs) -> Scope | None:
    return ADMIN if args.hard_delete else None


def _risk(caller: Caller, args: ForgetArgs) -> RiskyAction | None:
    if not args.hard_delete or args.dry_run:
        return None
    _reject_tombstone_fields(args)
    memory = selectors.changeable_memories_with_ids(caller.actor, [args.id]).first()
    if memory is None:
        raise NotFound(f"There is no memory with id {args.id}.")
    summary = translatable("Permanently delete memory %(number)s and its history", number=args.id)
    return RiskyAction(Risk.HARD_DELETE, summary, (memory,))


@tool(
    title="Forget a memory",
    scope=WRITE,
    hints=Hints(destructive=True, idempotent=True),
    stronger_scope=_needed_scope,
    risk=_risk,
)
def forget(caller: Caller, args: ForgetArgs) -> ForgetResult:
    """Forget a memory that is wrong, outdated or unwanted. It stays as a tombstone that the owner can restore, so give
    the reason and, if a newer memory replaces it, replaced_by_id. hard_delete removes it permanently: only when the
    user asks for exactly that."""
    if args.hard_delete:
        return _hard_delete(caller, args)
    outcome = lifecycle.forget_memory(
        caller.actor, args.id, reason=args.reason, replaced_by_id=args.replaced_by_id, dry_run=args.dry_run
    )
    return _result(caller, args, outcome, "Forgotten", _dry_message(outcome))


def _hard_delete(caller: Caller, args: ForgetArgs) -> ForgetResult:
    _reject_tombstone_fields(args)
    outcome = lifecycle.hard_delete_memory(caller.actor, args.id, dry_run=args.dry_run)
    return _result(caller, args, outcome, "Hard deleted", "Would hard-delete")


def _reject_tombstone_fields(args: ForgetArgs) -> None:
    for name in ("reason", "replaced_by_id"):
        if getattr(args, name) is not None:
            raise InvalidInput("must be left out with hard_delete, which keeps nothing.", argument=name)


def _dry_message(outcome: ForgetOutcome) -> Message:
    return "Would update tombstone (already soft-deleted)" if outcome.already_deleted else "Would soft-delete"


def _result(caller: Caller, args: ForgetArgs, outcome: ForgetOutcome, done: Message, planned: Message) -> ForgetResult:
    caller.record_memories([args.id])
    return ForgetResult(
        memory_id=args.id,
        dry_run=args.dry_run,
        already_deleted=outcome.already_deleted,
        message=planned if args.dry_run else done,
    )
