"""Journal entries in the words of the pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Expression
from django.utils.formats import date_format

from common.provided import Provided
from memories.admin.text_diff import Piece, diff
from memories.models import JournalEntry
from memories.queries.clients import BUILTIN_CLIENTS
from memories.undo.reversal import State

SHOWN_LINES = 100
"""Number of entries on the page of a memory, newest first."""

_FIELD_LABELS = {
    "text": "Text",
    "tags": "Tags",
    "importance": "Importance",
    "source_provider": "Source",
    "capture_mode": "Captured",
    "agent": "Agent",
    "session_id": "Session",
    "last_confirmed_at": "Confirmed",
    "expires_at": "Expires",
    "valid_from": "Holds from",
    "valid_until": "Holds until",
    "deleted_at": "Forgotten",
    "forget_reason": "Reason",
    "replaced_by_id": "Replaced by",
    "quarantined_from": "Inbox",
    "briefing_place": "Briefing",
}
_OPERATION_LABELS = {
    JournalEntry.Operation.REMEMBER: "Remembered",
    JournalEntry.Operation.REVIVE: "Activated again",
    JournalEntry.Operation.UPDATE: "Changed",
    JournalEntry.Operation.CONFIRM: "Confirmed",
    JournalEntry.Operation.FORGET: "Forgotten",
    JournalEntry.Operation.RESTORE: "Restored",
    JournalEntry.Operation.ACCEPT: "Accepted",
    JournalEntry.Operation.REJECT: "Rejected",
    JournalEntry.Operation.UNDO: "Undone",
    JournalEntry.Operation.HARD_DELETE: "Deleted permanently",
}
_TOMBSTONE = {"deleted_at", "forget_reason", "replaced_by_id"}
_TIMES = {"last_confirmed_at", "expires_at", "valid_from", "valid_until", "deleted_at"}


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of one change as text, empty if it had no value."""

    label: str
    before: str
    after: str

    @property
    def pieces(self) -> list[Piece]:
        """The differences of two texts, word by word; empty for another field, and for texts with little in common."""
        if self.label != _FIELD_LABELS["text"] or not (self.before and self.after):
            return []
        pieces = diff(self.before, self.after)
        kept = sum(len(piece.text) for piece in pieces if piece.kind == "same")
        return pieces if 2 * kept >= min(len(self.before), len(self.after)) else []


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One change: its journal entry, time, operation, client and changed fields.

    `is_latest` marks the change that led to the current state.
    """

    entry_id: int
    memory_id: int
    is_latest: bool
    at: datetime
    operation: str
    client: str
    changes: list[FieldChange]


def history_of(owner_id: int, memory_id: int) -> list[JournalLine]:
    """Return the last SHOWN_LINES changes to one of the owner's memories, newest first."""
    entries = JournalEntry.objects.filter(owner_id=owner_id, memory_id=memory_id).order_by("-id")
    found = list(entries.annotate(client_name=client_name())[:SHOWN_LINES])
    return [line_of(entry, is_latest=entry is found[0]) for entry in found]


client_name: Provided[[], Expression] = Provided("the name of a journal row's client")
"""Function that returns an expression for the name of a row's `client`: NULL for built-in and deleted clients."""


def line_of(entry: JournalEntry, *, is_latest: bool) -> JournalLine:
    """Return `entry`, annotated with its `client_name`, in words."""
    name = client_label(entry.client, entry.client_name)  # type: ignore[attr-defined]  # annotated
    return JournalLine(
        entry.pk,
        entry.memory_id,
        is_latest,
        entry.at,
        operation_label(entry),
        name,
        list(changes_of(entry)),
    )


def operation_label(entry: JournalEntry) -> str:
    """Return the name of the operation on the pages."""
    return _OPERATION_LABELS[JournalEntry.Operation(entry.operation)]


def builtin_client_name(client: str | None) -> str | None:
    """Return the name of a built-in client on the pages, None for other clients."""
    return BUILTIN_CLIENTS.get(client) if client else None


def client_label(client: str, name: str | None) -> str:
    """Return the label of a client: a built-in name, the name of the app, or its id if the app was deleted."""
    return builtin_client_name(client) or name or client


def changes_of(entry: JournalEntry) -> Iterable[FieldChange]:
    """Return the changed fields of `entry` in words (see `field_changes`). A hard delete has none."""
    return () if entry.operation == JournalEntry.Operation.HARD_DELETE else field_changes(entry.before, entry.after)


def field_changes(before: State, after: State) -> Iterable[FieldChange]:
    """Yield the fields of `before` and `after` in words. Fields of a tombstone that a restore clears are left out."""
    for name, label in _FIELD_LABELS.items():
        if name in _TOMBSTONE and after.get(name) is None:
            continue
        if name in before or name in after:
            yield FieldChange(label, _as_text(name, before.get(name)), _as_text(name, after.get(name)))


def _as_text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "quarantined_from":
        return "awaits your review"
    if name in _TIMES:
        return date_format(datetime.fromisoformat(value).astimezone(UTC), "DATETIME_FORMAT")
    return ", ".join(value) if isinstance(value, list) else str(value)
