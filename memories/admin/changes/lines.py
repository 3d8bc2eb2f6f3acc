"""Single changes as lines: who did what to which memory, with the difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.urls import reverse

from memories.access import View
from memories.admin.changes.kinds import kind_of, verb_of
from memories.admin.history import FieldChange, changes_of
from memories.admin.text_diff import Piece, diff
from memories.models import JournalEntry, Memory

SHOWN_CHARS = 600

_UNSAID = {"Text", "Confirmed", "Forgotten", "Captured", "Session", "Source"}
"""Fields that the line of a change does not list: its kind and its text say as much. The memory's page shows them."""


_OF_TEXTS = {"Holds from", "Holds until"}
"""Fields that are read from the text, so that they need no words if it was changed."""


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A change to one memory. `pieces` is its text, with the difference if it was changed.

    `url` is empty for a memory that was deleted permanently. `details` are the other changed fields.
    """

    id: int
    kind: str
    verb: str
    at: datetime
    client: str
    change_set: UUID
    memory_id: int
    url: str
    pieces: Sequence[Piece]
    details: Sequence[FieldChange]

    @property
    def text(self) -> str:
        """The text without what was removed."""
        return "".join(piece.text for piece in self.pieces if piece.kind != "del")


def change_lines(view: View, entries: Iterable[JournalEntry]) -> list[ChangeLine]:
    """Return `entries` as lines. One query, for the texts of the memories."""
    listed = list(entries)
    memories = Memory.objects.visible_including_quarantined(view).in_bulk({entry.memory_id for entry in listed})
    return [_line(entry, memories) for entry in listed]


def _line(entry: JournalEntry, memories: Mapping[int, Memory]) -> ChangeLine:
    memory = memories.get(entry.memory_id)
    return ChangeLine(
        id=entry.pk,
        kind=kind_of(entry.operation).title,
        verb=verb_of(entry.operation),
        at=entry.at,
        client=entry.client,
        change_set=entry.change_set,
        memory_id=entry.memory_id,
        url=reverse("admin:memories_memory_change", args=[entry.memory_id]) if memory else "",
        pieces=_pieces(entry, memory),
        details=[] if entry.operation == JournalEntry.Operation.REMEMBER else _details(entry),
    )


def _details(entry: JournalEntry) -> list[FieldChange]:
    unsaid = _UNSAID | _OF_TEXTS if "text" in entry.after else _UNSAID
    return [change for change in changes_of(entry) if change.label not in unsaid]


def _pieces(entry: JournalEntry, memory: Memory | None) -> list[Piece]:
    before, after = entry.before.get("text"), entry.after.get("text")
    if entry.operation == JournalEntry.Operation.HARD_DELETE or not (before or after or memory):
        return [Piece("same", f"Memory #{entry.memory_id}, deleted permanently")]
    if before and after and before != after:
        return diff(before[:SHOWN_CHARS], after[:SHOWN_CHARS])
    text = after or before or (memory.text if memory else "")
    return [Piece("same", text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…")]
