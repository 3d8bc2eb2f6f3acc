"""The tool `split_memory`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from common.scopes import WRITE
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag, MemoryId, Texts
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.shapes import Hidden, Notice, shape_hidden
from memories.writing import merging


class SplitMemoryArgs(Args):
    """The memory and the texts that replace it."""

    id: MemoryId = Field(description="The memory's id.")
    texts: Texts = Field(description=f"2 to {merging.MAX_PARTS} texts, one fact each.")
    dry_run: Flag = Field(False, description="Only report what would happen.")


class SplitMemoryResult(Result):
    """The outcome, or with `dry_run` what would happen."""

    memory_id: int = Field(description="The memory that was split; it becomes a tombstone.")
    dry_run: bool
    parts: list[int] = Field([], description="The memories that replace it, by position.")
    message: Literal["Split", "Would split"]
    hidden: Hidden = []
    notice: Notice = None


@tool(title="Split a memory", scope=WRITE, hints=Hints(destructive=True))
def split_memory(caller: Caller, args: SplitMemoryArgs) -> SplitMemoryResult:
    """Replace a memory that says several things with one memory for each. They have its tags, importance, source and
    times; it becomes a tombstone that leads to them. The owner can undo it."""
    split = merging.split_memory(caller.actor, args.id, args.texts, dry_run=args.dry_run)
    caller.record_memories([args.id, *split.new_ids])
    result = SplitMemoryResult(
        memory_id=args.id,
        dry_run=args.dry_run,
        message="Would split" if args.dry_run else "Split",
        **shape_hidden(None if args.dry_run else args.id, split.kept),
    )
    return result if args.dry_run else result.model_copy(update={"parts": list(split.new_ids)})
