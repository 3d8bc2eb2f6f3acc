"""Journal entries: the state before and after each change, the client and the change set."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from memories.access import Actor
from memories.models import JournalEntry, Memory

JOURNALLED_FIELDS = (
    "text",
    "tags",
    "importance",
    "source_provider",
    "capture_mode",
    "session_id",
    "last_confirmed_at",
    "expires_at",
    "valid_from",
    "valid_until",
    "deleted_at",
    "forget_reason",
    "replaced_by_id",
    "quarantined_from",
    "briefing_place",
    "agent",
)


def snapshot(memory: Memory) -> dict[str, Any]:
    """Return the journalled fields of `memory` as JSON values."""
    return {name: _as_json(getattr(memory, name)) for name in JOURNALLED_FIELDS}


def _as_json(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def changed_between(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the names of the fields that differ."""
    return [name for name in JOURNALLED_FIELDS if before[name] != after[name]]


def entry(actor: Actor, operation: JournalEntry.Operation, memory: Memory, before: dict[str, Any]) -> JournalEntry:
    """Build the unsaved entry for a change of `memory`, whose earlier snapshot is `before`."""
    after = snapshot(memory)
    changed = changed_between(before, after)
    return JournalEntry(
        owner_id=actor.owner_id,
        memory_id=memory.pk,
        operation=operation,
        before={name: before[name] for name in changed},
        after={name: after[name] for name in changed},
        client=actor.client,
        change_set=actor.change_set,
        session_id=actor.session_id,
        proposed_by=actor.proposed_by,
    )


def first_entry(actor: Actor, operation: JournalEntry.Operation, memory: Memory) -> JournalEntry:
    """Build the unsaved entry for a new memory, with an empty state before."""
    return JournalEntry(
        owner_id=actor.owner_id,
        memory_id=memory.pk,
        operation=operation,
        after={name: value for name, value in snapshot(memory).items() if value is not None},
        client=actor.client,
        change_set=actor.change_set,
        session_id=memory.session_id or actor.session_id,
        proposed_by=actor.proposed_by,
    )


def hard_delete_state(memory: Memory) -> dict[str, Any]:
    """Return what the journal keeps of a hard-deleted memory: whether clients could see it, but none of its content."""
    return {"quarantined_from": memory.quarantined_from} if memory.quarantined_from else {}


def write(entries: Iterable[JournalEntry]) -> None:
    """Append entries to the journal. Call it in the transaction of the change that they record."""
    JournalEntry.objects.bulk_create(entries)
