"""The changes that a plan may propose: how each is checked, and how it is carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from common.texts import translatable
from memories.access import Actor
from memories.errors import InvalidInput
from memories.models import CleanupLine, Memory
from memories.validation.text import clean_tags
from memories.writing.lifecycle import confirm_memory, forget_memory
from memories.writing.merging import merge_memories, split_memory
from memories.writing.updating import MemoryUpdate, update_memory

Action = CleanupLine.Action


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """One change of a plan: what to do with which memories.

    `text` is for MERGE and CORRECT, `texts` for SPLIT, `tags` for RETAG, `expires_at` for EXPIRE, and `replaced_by_id`
    for FORGET, which may leave it out. `reason` tells the owner why; FORGET also stores it.
    """

    action: Action
    memory_ids: Sequence[int]
    text: str | None = None
    texts: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    expires_at: datetime | None = None
    replaced_by_id: int | None = None
    reason: str = ""

    def details(self) -> dict[str, Any]:
        """Return the arguments as JSON values."""
        given = {
            "text": self.text,
            "texts": None if self.texts is None else list(self.texts),
            "tags": None if self.tags is None else list(self.tags),
            "expires_at": self.expires_at and self.expires_at.isoformat(),
            "replaced_by_id": self.replaced_by_id,
        }
        return {name: value for name, value in given.items() if value is not None}

    @classmethod
    def of(cls, line: CleanupLine) -> ProposedChange:
        """Return the change of a stored line."""
        given = dict(line.details)
        if end := given.get("expires_at"):
            given["expires_at"] = datetime.fromisoformat(end)
        return cls(Action(line.action), line.memory_ids, reason=line.reason, **given)


_NEEDED = {
    Action.MERGE: "text",
    Action.SPLIT: "texts",
    Action.CORRECT: "text",
    Action.RETAG: "tags",
    Action.EXPIRE: "expires_at",
}
_ALLOWED = {**{action: {name} for action, name in _NEEDED.items()}, Action.FORGET: {"replaced_by_id"}}


def check_arguments(change: ProposedChange) -> None:
    """Raise InvalidInput unless the change has the arguments that its action needs, and no others."""
    given = set(change.details())
    needed = _NEEDED.get(change.action)
    if needed is not None and needed not in given:
        raise InvalidInput(translatable("is required for %(value)s.", value=change.action.value), argument=needed)
    for name in sorted(given - _ALLOWED.get(change.action, set())):
        raise InvalidInput(translatable("is not an argument of %(value)s.", value=change.action.value), argument=name)
    if change.action != Action.MERGE and len(change.memory_ids) != 1:
        raise InvalidInput(
            translatable("%(value)s takes exactly one memory.", value=change.action.value), argument="ids"
        )


def changes_nothing(change: ProposedChange, memories: Mapping[int, Memory]) -> bool:
    """Return whether the memory has the proposed text, tags or expiry already. `memories` are those of the change."""
    memory = memories.get(change.memory_ids[0]) if change.memory_ids else None
    if memory is None:
        return False
    match change.action:
        case Action.CORRECT:
            return change.text is not None and change.text.strip() == memory.text
        case Action.RETAG:
            return change.tags is not None and set(clean_tags(change.tags)) == set(memory.tags)
        case Action.EXPIRE:
            return change.expires_at is not None and change.expires_at == memory.expires_at
    return False


def carry_out(actor: Actor, change: ProposedChange, *, dry_run: bool = False) -> Sequence[int]:
    """Carry out a change, or check that it can be, and return the ids of new memories. Raises MemoriesError."""
    check_arguments(change)
    first = change.memory_ids[0]
    match change.action:
        case Action.MERGE:
            return merge_memories(actor, change.memory_ids, change.text or "", dry_run=dry_run).new_ids
        case Action.SPLIT:
            return split_memory(actor, first, change.texts or (), dry_run=dry_run).new_ids
        case Action.FORGET:
            forget_memory(
                actor, first, reason=change.reason or None, replaced_by_id=change.replaced_by_id, dry_run=dry_run
            )
        case Action.CONFIRM:
            confirm_memory(actor, first, dry_run=dry_run)
        case _:
            update = MemoryUpdate(text=change.text, tags=change.tags, expires_at=change.expires_at, keeps_values=True)
            update_memory(actor, first, update, dry_run=dry_run)
    return ()
