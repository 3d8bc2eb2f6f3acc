"""The tool `update_memory`, and what `update_memory_batch` shares with it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from common.scopes import WRITE
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import EndTimeOrNever, Flag, MemoryId, Tags, Time, TimeOrAlways, UnitInterval
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.shapes import TAGS, Hidden, Notice, TagChanges, shape_hidden, shape_tag_changes
from memories.errors import InvalidInput
from memories.writing import updating
from memories.writing.succession import succeed_memory
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
        None, description="When it was last known to be true; by default now, if the text changes."
    )
    valid_from: TimeOrAlways | None = Field(
        None, description='When the fact began to be true: an ISO 8601 time or a date; "always" removes it.'
    )
    valid_until: EndTimeOrNever | None = Field(
        None,
        description='When it stopped or stops being true: the last time or day; "never" removes it. It stays on record '
        "as past.",
    )

    def changes(self) -> MemoryUpdate:
        """Convert the arguments to the update of the domain layer."""
        return MemoryUpdate(
            text=self.text,
            tags=self.tags,
            importance=self.importance,
            expires_at=_moment(self.expires_at),
            clear_expiry=self.expires_at == "never",
            last_confirmed_at=self.last_confirmed_at,
            valid_from=_moment(self.valid_from),
            clear_valid_from=self.valid_from == "always",
            valid_until=_moment(self.valid_until),
            clear_valid_until=self.valid_until == "never",
        )


def _moment(given: datetime | str | None) -> datetime | None:
    """Return a time; None for a word that removes one."""
    return None if isinstance(given, str) else given


class UpdateMemoryArgs(ChangeArgs):
    """One change."""

    since: Time | None = Field(
        None,
        description="With text: when the new text became true. The memory keeps its old text as what was true before, "
        "and the new one is stored as another memory.",
    )
    dry_run: Flag = Field(False, description="Only report what would change.")


class UpdateMemoryResult(Result):
    """The changes, or with `dry_run` what would change."""

    memory_id: int = Field(description="With since: the memory with the new text; in a dry run, the old one.")
    ended_id: int | None = Field(None, description="With since: the memory with the old text, which is then past.")
    dry_run: bool
    changed_fields: list[str]
    message: Literal["Ok", "Would update"]
    indexed: bool = Field(True, description="False while the new text's vector is pending.")
    tag_changes: TagChanges = []
    hidden: Hidden = []
    notice: Notice = None


@tool(title="Correct a memory", scope=WRITE, hints=Hints(destructive=True, idempotent=True))
def update_memory(caller: Caller, args: UpdateMemoryArgs) -> UpdateMemoryResult:
    """Change a memory: correct its wording, tags, importance or expiry. Use it when the user corrects something that is
    remembered; a new wording counts as confirmed now. If something has changed in the user's life (a move, another
    job), give since: the old fact stays on record as past, and recall with as_of finds it."""
    if args.since is not None:
        return _succeed(caller, args, args.since)
    updated = updating.update_memory(caller.actor, args.id, args.changes(), dry_run=args.dry_run)
    caller.record_memories([args.id])
    result = UpdateMemoryResult(
        memory_id=args.id,
        dry_run=args.dry_run,
        changed_fields=updated.changed_fields,
        message="Would update" if args.dry_run else "Ok",
        **shape_tag_changes(updated.tag_changes),
        **shape_hidden(None if args.dry_run else args.id, updated.kept),
    )
    return result if updated.indexed or args.dry_run else result.model_copy(update={"indexed": False})


def _succeed(caller: Caller, args: UpdateMemoryArgs, since: datetime) -> UpdateMemoryResult:
    """End the validity of the memory, and store the new text."""
    if args.valid_from is not None:
        raise InvalidInput(
            "cannot be combined with since, which says when the new text begins to be true.", argument="valid_from"
        )
    done = succeed_memory(caller.actor, args.id, args.changes(), since, dry_run=args.dry_run)
    caller.record_memories([args.id, *([] if done.new_id is None else [done.new_id])])
    result = UpdateMemoryResult(
        memory_id=args.id if done.new_id is None else done.new_id,
        ended_id=args.id,
        dry_run=args.dry_run,
        changed_fields=["text", "valid_from", "valid_until"],
        message="Would update" if args.dry_run else "Ok",
        **shape_hidden(done.new_id, done.kept),
    )
    return result if done.indexed else result.model_copy(update={"indexed": False})
