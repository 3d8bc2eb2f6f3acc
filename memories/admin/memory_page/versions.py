"""The versions of a memory: each change as a sentence, with what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext, gettext_noop

from memories.admin.changes.kinds import HIDDEN, PINNED, UNHIDDEN, UNPINNED, joined, new_place, somebody_did_when
from memories.admin.history import SHOWN_LINES, FieldChange, changes_of, client_label, client_name
from memories.admin.text_diff import Piece, diff
from memories.models import JournalEntry
from memories.queries.clients import client_names
from memories.writing.merging import names_successors

_VERBS = {
    JournalEntry.Operation.REMEMBER: gettext_noop("added it"),
    JournalEntry.Operation.REVIVE: gettext_noop("made it active again"),
    JournalEntry.Operation.CONFIRM: gettext_noop("confirmed it"),
    JournalEntry.Operation.FORGET: gettext_noop("forgot it"),
    JournalEntry.Operation.RESTORE: gettext_noop("restored it"),
    JournalEntry.Operation.ACCEPT: gettext_noop("kept it"),
    JournalEntry.Operation.REJECT: gettext_noop("forgot it"),
    JournalEntry.Operation.UNDO: gettext_noop("undid changes"),
    JournalEntry.Operation.REDO: gettext_noop("redid it"),
    JournalEntry.Operation.HARD_DELETE: gettext_noop("deleted it permanently"),
}
_PLACES = {
    PINNED: gettext_noop("pinned it"),
    UNPINNED: gettext_noop("unpinned it"),
    HIDDEN: gettext_noop("hid it from the briefing"),
    UNHIDDEN: gettext_noop("unhid it"),
}
_FIELDS = {
    "text": gettext_noop("the text"),
    "tags": gettext_noop("the tags"),
    "importance": gettext_noop("the importance"),
    "expires_at": gettext_noop("the expiry"),
}
# They follow from other changes, so that naming them would repeat those.
_SILENT = frozenset({"Confirmed", "Forgotten", "Replaced by", "Inbox"})
# Restoring a version only because of them would seem to do nothing, or do what a button of its own does.
_UNIMPORTANT = frozenset({"last_confirmed_at", "forget_reason", "replaced_by_id", "deleted_at", "quarantined_from"})
_PERIOD = {"valid_from": "Valid from", "valid_until": "Valid until"}
# An undo that sets a memory back does to it what restoring does.
_GOES_BACK = (JournalEntry.Operation.RESTORE, JournalEntry.Operation.UNDO)
_TOMBSTONE = frozenset({"deleted_at", "forget_reason", "replaced_by_id", "quarantined_from", "last_confirmed_at"})


LONG_CHARS = 400
"""A longer text has small letters on the page, and is not shown once more as a version."""


@dataclass(frozen=True, slots=True)
class Version:
    """One change. `pieces` are the differences of the text, `changes` those of other fields, by their names.

    `before_time` and `after_time` are the sentence about it, around the time. `proposed_by` is the name of the app
    whose plan was applied, if any. `is_first`: it made the memory.
    """

    entry_id: int
    before_time: str
    after_time: str
    proposed_by: str
    is_first: bool
    at: datetime
    pieces: Sequence[Piece]
    changes: Sequence[tuple[str, Sequence[Piece]]]
    is_latest: bool
    can_be_restored: bool

    @property
    def is_folded(self) -> bool:
        """Whether the text is new and long, so that it is shown only on demand. A change of it is what matters."""
        is_new = all(piece.kind != "same" for piece in self.pieces)
        return is_new and sum(len(piece.text) for piece in self.pieces) > LONG_CHARS


def versions_of(owner_id: int, memory_id: int) -> list[Version]:
    """Return the last SHOWN_LINES changes of one of the owner's memories, newest first. Two queries."""
    entries = JournalEntry.objects.filter(owner_id=owner_id, memory_id=memory_id).order_by("-id")
    found = list(entries.annotate(client_name=client_name())[:SHOWN_LINES])
    latest = next((entry for entry in found if entry.operation != JournalEntry.Operation.SHOW), None)
    restorable = _restorable(found)
    names = client_names({entry.proposed_by for entry in found} - {""})
    return [
        _version(entry, names.get(entry.proposed_by, ""), is_latest=entry is latest, can_be_restored=is_other)
        for entry, is_other in zip(found, restorable, strict=True)
    ]


def _restorable(entries: Sequence[JournalEntry]) -> list[bool]:
    """Return of each version, newest first, whether it differs from the current one and was not forgotten."""
    found: list[bool] = []
    now: dict[str, Any] = {}
    then: dict[str, Any] = {}
    for entry in entries:
        is_shown = entry.operation == JournalEntry.Operation.SHOW
        is_other = any(value != now[name] for name, value in then.items() if name not in _UNIMPORTANT)
        found.append(is_other and not is_shown and not then.get("deleted_at"))
        if not is_shown:
            now = {**entry.after, **now}
            then |= dict.fromkeys(entry.after) | entry.before
    return found


def _version(entry: JournalEntry, proposed_by: str, *, is_latest: bool, can_be_restored: bool) -> Version:
    name = client_label(entry.client, entry.client_name)  # type: ignore[attr-defined]  # annotated
    before, after = entry.before.get("text"), entry.after.get("text")
    unsaid = {"Text", *_SILENT}
    if names_successors(entry.after.get("forget_reason")):
        unsaid.add("Reason")
    if new_place(entry.operation, entry.before, entry.after):
        unsaid.add("Briefing")
    changes = [change for change in changes_of(entry) if change.label not in unsaid and change.before != change.after]
    if before != after:
        changes = [change for change in changes if not change.follows_from_text]
    if entry.operation == JournalEntry.Operation.REMEMBER:
        changes = [change for change in changes if change.label in {"Tags", "Expires"}]
    before_time, after_time = somebody_did_when(entry.client, name, _what_was_done(entry))
    return Version(
        entry_id=entry.pk,
        before_time=before_time,
        after_time=after_time,
        proposed_by=proposed_by,
        is_first=entry.operation == JournalEntry.Operation.REMEMBER,
        at=entry.at,
        pieces=diff(before or "", after or "") if before != after and after is not None else (),
        changes=[(change.label, _field_diff(change)) for change in changes],
        is_latest=is_latest,
        can_be_restored=can_be_restored,
    )


def _field_diff(change: FieldChange) -> list[Piece]:
    if change.label == "Tags":
        return diff(change.before, change.after)
    if change.is_statement:
        return [Piece("same", change.after)]
    return [Piece(kind, text) for kind, text in (("del", change.before), ("ins", change.after)) if text]


def _what_was_done(entry: JournalEntry) -> str:
    operation = JournalEntry.Operation(entry.operation)
    if operation is JournalEntry.Operation.SHOW:
        return gettext("looked at the hidden %(what)s") % {"what": gettext(entry.after.get("shown", "password"))}
    if operation in _GOES_BACK and not _TOMBSTONE.issuperset(entry.after):
        return gettext("restored an earlier version")
    if operation in _GOES_BACK and entry.after.get("deleted_at", "") is None:
        return gettext("restored it")
    if operation is JournalEntry.Operation.REDO and (again := _done_again(entry)):
        return again
    if operation is JournalEntry.Operation.FORGET and entry.after.get("replaced_by_id"):
        return gettext("replaced it")
    if operation is not JournalEntry.Operation.UPDATE:
        return gettext(_VERBS[operation])
    if place := new_place(operation, entry.before, entry.after):
        return gettext(_PLACES[place])
    changed = [gettext(label) for name, label in _FIELDS.items() if entry.before.get(name) != entry.after.get(name)]
    if entry.before.get("briefing_place") != entry.after.get("briefing_place"):
        changed.append(gettext("its place in briefings"))
    if not changed and any(entry.before.get(name) != entry.after.get(name) for name in _PERIOD):
        changed.append(gettext("how long it is true"))
    if not changed:
        return gettext("changed it")
    return gettext("changed %(fields)s") % {"fields": joined(changed)}


def _done_again(entry: JournalEntry) -> str:
    """Return what redoing a change did to the memory, or an empty text if no word says it."""
    if not _TOMBSTONE.issuperset(entry.after):
        return gettext("changed it again")
    if "deleted_at" not in entry.after:
        return ""
    return gettext("forgot it again") if entry.after["deleted_at"] else gettext("restored it")
