"""The tool `update_memory`, and what `update_memory_batch` shares with it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from common.scopes import WRITE
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import EndTimeOrNever, Flag, MemoryId, Tags, Time, UnitInterval
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.shapes import TAGS, TagChanges, shape_tag_changes
from memories.writing import updating
from memories.writing.updating import MemoryUpdate


class ChangeArgs(Args):
    """A memory and its changes: the id and at least one other field."""

    id: MemoryId = Field(description="The memory's id.")
    text: str | None = Field(None, description="The new wording; it is indexed again.")
    tags: Tags | None = Field(None, description=f"The new tags, which replace the old ones. {TAGS}")
    importance: UnitInterval | None = Field(None, description="How much it matters, from 0 to 1.")
    expires_at: EndTimeOrNever | None = Field(
        None, description='When it stops being true: a future ISO 8601 time with a zone; "never" removes the expiry.'
    )
    last_confirmed_at: Time | None = Field(
        None, description="When it was last known to be true; now, if left out and the text changes."
    )

    def changes(self) -> MemoryUpdate:
        """Convert the arguments to the update of the domain layer."""
        clear_expiry = self.expires_at == "never"
        return MemoryUpdate(
            text=self.text,
            tags=self.tags,
            importance=self.importance,
            expires_at=None if isinstance(self.expires_at, str) else self.expires_at,
            clear_expiry=clear_expiry,
            last_confirmed_at=self.last_confirmed_at,
        )


class UpdateMemoryArgs(ChangeArgs):
    """One change."""

    dry_run: Flag = Field(False, description="Only report what would change.")


class UpdateMemoryResult(Result):
    """The changes, or with `dry_run` what would change."""

    memory_id: int
    dry_run: bool
    changed_fields: list[str]
    message: Literal["Ok", "Would update"]
    indexed: bool = Field(True, description="False while the new text's vector is pending.")
    tag_changes: TagChanges = []


@tool(title="Correct a memory", scope=WRITE, hints=Hints(destructive=True, idempotent=True))
def update_memory(caller: Caller, args: UpdateMemoryArgs) -> UpdateMemoryResult:
    """Change a memory: correct its wording, tags, importance or expiry. Use it when the user corrects something that is
    remembered; a new wording counts as confirmed now. To keep the old fact on record as superseded, remember the
    new one and forget the old one with replaced_by_id instead."""
    updated = updating.update_memory(caller.actor, args.id, args.changes(), dry_run=args.dry_run)
    caller.record_memories([args.id])
    result = UpdateMemoryResult(
        memory_id=args.id,
        dry_run=args.dry_run,
        changed_fields=updated.changed_fields,
        message="Would update" if args.dry_run else "Ok",
        **shape_tag_changes(updated.tag_changes),
    )
    return result if updated.indexed or args.dry_run else result.model_copy(update={"indexed": False})
