"""Single changes as lines: who did what to which memory, document or tag synonym, with the difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext

from memories.access import View
from memories.admin.changes.kinds import PLACES, label_of, verb_of, what_was_done
from memories.admin.history import FieldChange, field_changes
from memories.admin.text_diff import Piece, diff
from memories.models import JournalEntry, Memory
from memories.undo.documents import DescribedDocument, documents
from memories.undo.reversal import State
from memories.writing.merging import names_successors

SHOWN_CHARS = 600

_UNSAID = {"Text", "Confirmed", "Forgotten", "Captured", "Session", "Source", "Inbox"}
"""Fields that the line of a change does not list: its kind and its text say as much. The memory's page shows them."""


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A change. `pieces` is the title of a document, or the text of a memory, with the difference if it was changed.

    `url` is empty for what was deleted permanently. `details` are the other changed fields. `is_undone`: it has been
    undone since.
    """

    id: int
    kind: str
    verb: str
    at: datetime
    client: str
    change_set: UUID
    url: str
    pieces: Sequence[Piece]
    details: Sequence[FieldChange]
    is_undone: bool

    @property
    def text(self) -> str:
        """The text without what was removed."""
        return "".join(piece.text for piece in self.pieces if piece.kind != "del")


def change_lines(view: View, entries: Iterable[JournalEntry]) -> list[ChangeLine]:
    """Return `entries`, which have `is_undone`, as lines.

    At most three queries, for the texts of the memories and the titles of documents.
    """
    listed = list(entries)
    memory_ids = {entry.memory_id for entry in listed if entry.memory_id is not None}
    successor_ids = {entry.after["replaced_by_id"] for entry in listed if entry.after.get("replaced_by_id")}
    memories = Memory.objects.visible_including_quarantined(view).in_bulk(memory_ids | successor_ids)
    found = documents().described(view, {entry.document_id for entry in listed if entry.document_id is not None})
    return [_line_of(entry, memories, found) for entry in listed]


def _line_of(
    entry: JournalEntry, memories: Mapping[int, Memory], found: Mapping[UUID, DescribedDocument]
) -> ChangeLine:
    if entry.memory_id is not None:
        memory = memories.get(entry.memory_id)
        url = reverse("admin:memories_memory_change", args=[memory.pk]) if memory else ""
        details = _details(entry, *(_with_successor(state, memories) for state in (entry.before, entry.after)))
        return _line(entry, url, _pieces(entry, memory), details)
    if entry.document_id is not None:
        return _document_line(entry, entry.document_id, found.get(entry.document_id))
    url = reverse("admin:memories_tagsynonym_changelist")
    return _line(
        entry, url, _same(gettext("Tag %(name)s") % {"name": entry.variant}), _details(entry, entry.before, entry.after)
    )


def _document_line(entry: JournalEntry, document_id: UUID, document: DescribedDocument | None) -> ChangeLine:
    if document is None or entry.operation == JournalEntry.Operation.HARD_DELETE:
        return _line(entry, "", _same(gettext("A document that no longer exists")), ())
    url = reverse("admin:documents_document_change", args=[document_id])
    details = _details(entry, document.shown(entry.before), document.shown(entry.after))
    return _line(entry, url, _same(document.title), details)


def _line(entry: JournalEntry, url: str, pieces: Sequence[Piece], details: Sequence[FieldChange]) -> ChangeLine:
    done = what_was_done(entry)
    return ChangeLine(
        id=entry.pk,
        kind=label_of(done),
        verb=verb_of(done),
        at=entry.at,
        client=entry.client,
        change_set=entry.change_set,
        url=url,
        pieces=pieces,
        details=[] if entry.operation == JournalEntry.Operation.REMEMBER or done in PLACES else details,
        is_undone=entry.is_undone,  # type: ignore[attr-defined]  # annotated
    )


def _same(text: str) -> list[Piece]:
    return [Piece("same", text)]


def _details(entry: JournalEntry, before: State, after: State) -> list[FieldChange]:
    if entry.operation == JournalEntry.Operation.HARD_DELETE:
        return []
    changes = [change for change in field_changes(before, after) if change.label not in _UNSAID]
    return [change for change in changes if not change.follows_from_text] if "text" in after else changes


def _with_successor(state: State, memories: Mapping[int, Memory]) -> State:
    """Return the state with the text of the memory that replaced it in place of its id, also of one in the reason."""
    successor = memories.get(state.get("replaced_by_id") or 0)
    if successor is None:
        return state
    shown = {**state, "replaced_by_id": gettext("“%(text)s”") % {"text": successor.text[:SHOWN_CHARS]}}
    if names_successors(state.get("forget_reason")):
        shown["forget_reason"] = None
    return shown


def _pieces(entry: JournalEntry, memory: Memory | None) -> list[Piece]:
    before, after = entry.before.get("text"), entry.after.get("text")
    if entry.operation == JournalEntry.Operation.HARD_DELETE or not (before or after or memory):
        return _same(gettext("A memory that no longer exists"))
    if before and after and before != after:
        return diff(before[:SHOWN_CHARS], after[:SHOWN_CHARS])
    text = after or before or (memory.text if memory else "")
    return _same(text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…")
