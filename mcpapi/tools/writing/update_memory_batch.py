"""The tool `update_memory_batch`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from common.scopes import WRITE
from mcpapi.calls.caller import Caller
from mcpapi.tools import lenient
from mcpapi.tools.arguments import Flag, Objects
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.batches import item_list_schema, parse_items
from mcpapi.tools.shapes import (
    FailureShape,
    Hidden,
    Notice,
    TagChanges,
    shape_failure,
    shape_hidden,
    shape_tag_changes,
)
from mcpapi.tools.writing.update_memory import ChangeArgs
from memories.drafts import check_batch_size
from memories.writing import updating
from memories.writing.updating import UpdateOutcome, UpdateOutcomeOrError


class UpdateMemoryBatchArgs(Args):
    """Many changes."""

    items: Annotated[Objects, item_list_schema(ChangeArgs)] = Field(
        description="The changes, each as for update_memory."
    )
    dry_run: Flag = Field(False, description="Only report what would change.")


class UpdatedItem(BaseModel):
    """The outcome of one item."""

    input_index: int = Field(description="The item's position in the call, from 0.")
    id: int | None = Field(description="The memory's id; null if the item had no valid one.")
    ok: bool
    changed_fields: list[str] = []
    message: str | None = None
    indexed: bool = Field(True, description="False while the new text's vector is pending.")
    tag_changes: TagChanges = []
    hidden: Hidden = []
    notice: Notice = None
    error: FailureShape | None = None


class UpdateSummary(BaseModel):
    """The totals of the call."""

    total: int
    updated: int
    errors: int


class UpdateMemoryBatchResult(Result):
    """The outcome of each item, by position, and the totals."""

    dry_run: bool
    results: list[UpdatedItem]
    summary: UpdateSummary


@tool(
    title="Correct many memories",
    scope=WRITE,
    hints=Hints(destructive=True, idempotent=True),
    takes_many_texts=True,
)
def update_memory_batch(caller: Caller, args: UpdateMemoryBatchArgs) -> UpdateMemoryBatchResult:
    """Change many memories in one call, each as with update_memory. A bad item does not affect the others."""
    check_batch_size("items", args.items)
    items = parse_items(ChangeArgs, args.items)
    readable = [(item.id, item.changes()) for item in items if isinstance(item, ChangeArgs)]
    outcomes = iter(updating.update_memories(caller.actor, readable, dry_run=args.dry_run))
    results = [
        _shape_item(index, item.id, next(outcomes), args.dry_run)
        if isinstance(item, ChangeArgs)
        else UpdatedItem(input_index=index, id=_readable_id(args.items[index]), ok=False, error=shape_failure(item))
        for index, item in enumerate(items)
    ]
    caller.record_memories(result.id for result in results if result.ok and result.id)
    updated = sum(result.ok for result in results)
    return UpdateMemoryBatchResult(
        dry_run=args.dry_run,
        results=results,
        summary=UpdateSummary(total=len(results), updated=updated, errors=len(results) - updated),
    )


def _shape_item(index: int, memory_id: int, outcome: UpdateOutcomeOrError, dry_run: bool) -> UpdatedItem:
    if not isinstance(outcome, UpdateOutcome):
        return UpdatedItem(input_index=index, id=memory_id, ok=False, error=shape_failure(outcome))
    fields: dict[str, Any] = {} if outcome.indexed or dry_run else {"indexed": False}
    return UpdatedItem(
        input_index=index,
        id=memory_id,
        ok=True,
        changed_fields=outcome.changed_fields,
        message="Would update" if dry_run else "Ok",
        **fields,
        **shape_tag_changes(outcome.tag_changes),
        **shape_hidden(None if dry_run else memory_id, outcome.kept),
    )


def _readable_id(raw: object) -> int | None:
    item = lenient.as_object(raw)
    candidate = lenient.as_whole(item.get("id")) if isinstance(item, dict) else None
    return candidate if isinstance(candidate, int) and not isinstance(candidate, bool) else None
