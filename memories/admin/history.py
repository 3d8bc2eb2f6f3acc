"""Journal entries in the words of the pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Expression
from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_noop

from common.pages.relative_times import day_or_time, exact_time
from common.pages.translated import translated
from common.provided import Provided
from memories.admin.text_diff import Piece, diff
from memories.models import JournalEntry
from memories.queries.clients import BUILTIN_CLIENTS, SOURCE_CLIENT, builtin_name
from memories.undo.reversal import State

SHOWN_LINES = 100
"""Number of entries on the page of a memory, newest first."""

_FIELD_LABELS = {
    "text": gettext_noop("Text"),
    "version": gettext_noop("Version"),
    "title": gettext_noop("Title"),
    "canonical": gettext_noop("Stored as"),
    "tags": gettext_noop("Tags"),
    "importance": gettext_noop("Importance"),
    "source_provider": gettext_noop("Source"),
    "capture_mode": gettext_noop("Captured"),
    "agent": gettext_noop("Agent"),
    "session_id": gettext_noop("Session"),
    "last_confirmed_at": gettext_noop("Confirmed"),
    "expires_at": gettext_noop("Expires"),
    "valid_from": gettext_noop("Valid from"),
    "valid_until": gettext_noop("Valid until"),
    "deleted_at": gettext_noop("Forgotten"),
    "forget_reason": gettext_noop("Reason"),
    "replaced_by_id": gettext_noop("Replaced by"),
    "quarantined_from": gettext_noop("Inbox"),
    "briefing_place": gettext_noop("Briefing"),
}
_OPERATION_LABELS = {
    JournalEntry.Operation.REMEMBER: gettext_noop("Remembered"),
    JournalEntry.Operation.REVIVE: gettext_noop("Activated again"),
    JournalEntry.Operation.UPDATE: gettext_noop("Changed"),
    JournalEntry.Operation.CONFIRM: gettext_noop("Confirmed"),
    JournalEntry.Operation.FORGET: gettext_noop("Forgotten"),
    JournalEntry.Operation.RESTORE: gettext_noop("Restored"),
    JournalEntry.Operation.ACCEPT: gettext_noop("Accepted"),
    JournalEntry.Operation.REJECT: gettext_noop("Forgotten"),
    JournalEntry.Operation.UNDO: gettext_noop("Undone"),
    JournalEntry.Operation.REDO: gettext_noop("Redone"),
    JournalEntry.Operation.HARD_DELETE: gettext_noop("Deleted permanently"),
    JournalEntry.Operation.SHOW: gettext_noop("Looked at a hidden value"),
}
_TOMBSTONE = {"deleted_at", "forget_reason", "replaced_by_id"}
_TIMES = {"last_confirmed_at", "deleted_at"}
_ENDS = {"expires_at", "valid_from", "valid_until"}


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

    @property
    def is_statement(self) -> bool:
        """Whether it says why something was forgotten or what replaced it: a statement, and no difference."""
        said = (_FIELD_LABELS["forget_reason"], _FIELD_LABELS["replaced_by_id"])
        return self.label in said and bool(self.after) and not self.before

    @property
    def follows_from_text(self) -> bool:
        """Whether a new text of the memory explains it: a date was read from it. One that was removed is to be seen."""
        was_removed = self.before and not self.after
        return not was_removed and self.label in (_FIELD_LABELS["valid_from"], _FIELD_LABELS["valid_until"])


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One change: its journal entry, time, operation, client and changed fields.

    `is_latest` marks the change that led to the current state.
    """

    entry_id: int
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
        is_latest,
        entry.at,
        operation_label(entry),
        name,
        list(changes_of(entry)),
    )


def operation_label(entry: JournalEntry) -> str:
    """Return the name of the operation on the pages."""
    return gettext(_OPERATION_LABELS[JournalEntry.Operation(entry.operation)])


def client_label(client: str, name: str | None) -> str:
    """Return the label of a client: a built-in name, the name of the app, or its id if the app was deleted."""
    return shown_client(client, builtin_name(client) or name or client)


def shown_client(client: str | None, name: str) -> str:
    """Return the name of a client in the language of the page. The names of apps stay as they are."""
    if client and client.startswith(SOURCE_CLIENT):
        return gettext("the source “%(name)s”") % {"name": client.removeprefix(SOURCE_CLIENT)}
    return gettext(name) if client in BUILTIN_CLIENTS else name


def titled_client(client: str | None, name: str) -> str:
    """Return the name of a client as it begins a sentence or stands alone. Only built-in names get a capital."""
    shown = shown_client(client, name)
    is_app = client not in BUILTIN_CLIENTS and not (client or "").startswith(SOURCE_CLIENT)
    return shown if is_app else capfirst(shown)


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
    if name == "forget_reason":
        return translated(str(value))
    if name == "briefing_place":
        return gettext(str(value))
    if name == "quarantined_from":
        return gettext("awaits your review")
    if name == "replaced_by_id" and isinstance(value, int):
        return gettext("another memory")
    if isinstance(value, float):
        return str(number_format(value))
    if name in _ENDS:
        return day_or_time(datetime.fromisoformat(value))
    if name in _TIMES:
        return exact_time(datetime.fromisoformat(value))
    return ", ".join(value) if isinstance(value, list) else str(value)
