"""The tool `merge_memories`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from common.scopes import WRITE
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag, MemoryIds
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.shapes import Hidden, Notice, shape_hidden
from memories.writing import merging


class MergeMemoriesArgs(Args):
    """The memories and the text that replaces them."""

    ids: MemoryIds = Field(description=f"The ids of 2 to {merging.MAX_MERGED} memories.")
    text: str = Field(description="One text with everything that they say.")
    dry_run: Flag = Field(False, description="Only report what would happen.")


class MergeMemoriesResult(Result):
    """The outcome, or with `dry_run` what would happen."""

    memory_id: int | None = Field(None, description="The memory that replaces the others.")
    dry_run: bool
    replaced: list[int] = Field(description="The memories that it replaces; they become tombstones.")
    message: Literal["Merged", "Would merge"]
    hidden: Hidden = []
    notice: Notice = None


@tool(title="Merge memories", scope=WRITE, hints=Hints(destructive=True))
def merge_memories(caller: Caller, args: MergeMemoriesArgs) -> MergeMemoriesResult:
    """Replace several memories that say the same, or belong together, with one. It has all their tags, the highest
    importance and the latest confirmation; the others become tombstones that lead to it. The text must keep
    everything that they say. The owner can undo it."""
    merged = merging.merge_memories(caller.actor, args.ids, args.text, dry_run=args.dry_run)
    caller.record_memories([*merged.new_ids, *merged.replaced_ids])
    result = MergeMemoriesResult(
        dry_run=args.dry_run,
        replaced=list(merged.replaced_ids),
        message="Would merge" if args.dry_run else "Merged",
        **shape_hidden(None if args.dry_run else merged.new_ids[0], merged.kept),
    )
    return result.model_copy(update={"memory_id": merged.new_ids[0]}) if merged.new_ids else result
