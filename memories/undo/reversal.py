"""The reversal of some changes of one memory or document: pure functions over journal entries.

A field is set back to its value before the selected changes, but only if it still has the value that they gave it. If
it has another one, somebody has changed it since, and undoing would lose that: a conflict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar
from uuid import UUID

from common.texts import translatable
from memories.models import JournalEntry
from memories.writing.journal import JOURNALLED_FIELDS

State = Mapping[str, Any]
"""The journalled fields of a memory or document as JSON values."""

Id = TypeVar("Id", int, UUID)
"""The id of a memory or of a document."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Journalled fields in an order in which each one comes before its followers.

    `followers` mean something only with another field. They are set back with it, and are not conflicts of their own.
    """

    names: Sequence[str]
    followers: Mapping[str, str]


MEMORY_FIELDS = Fields(
    JOURNALLED_FIELDS,
    {
        "valid_from": "text",
        "valid_until": "text",
        "forget_reason": "deleted_at",
        "replaced_by_id": "deleted_at",
    },
)
_TIMES = frozenset({"last_confirmed_at", "expires_at", "valid_from", "valid_until", "deleted_at"})
_CREATIONS = frozenset({JournalEntry.Operation.REMEMBER})
UNDONE_REASON = translatable("The change that added it was undone.")


class Effect(StrEnum):
    """The effect of undoing on a memory or document."""

    RESTORED = "restored"
    """It gets earlier values back."""
    REMOVED = "removed"
    """It becomes a tombstone, because what stored it is undone."""
    NONE = "none"
    """It already is as it was before."""


class Obstacle(StrEnum):
    """Why a memory or document cannot simply be set back."""

    CHANGED_SINCE = "changed_since"
    SAME_TEXT = "same_text"
    """Another active memory has the text that it would get back."""
    ADDED_AGAIN = "added_again"
    """Another active document has the place in its source."""
    CONTENT_GONE = "content_gone"
    """The version that would come back does not exist any more."""
    OUT_OF_VIEW = "out_of_view"
    """It would leave what the app may see."""
    OWNERS_DECISION = "owners_decision"
    """Only the owner decides about the inbox and the briefing."""


@dataclass(frozen=True, slots=True)
class Change:
    """One journal entry of a memory or document, and whether it is to be undone."""

    operation: str
    before: State
    after: State
    is_selected: bool


@dataclass(frozen=True, slots=True)
class FieldConflict:
    """A field that was changed again since: its value now, and the one that undoing would set."""

    name: str
    now: Any
    earlier: Any


@dataclass(frozen=True, slots=True)
class Reversal(Generic[Id]):
    """The effect of undoing on one memory or document: the `values` to set, and the fields in `conflicts`."""

    item_id: Id
    effect: Effect = Effect.NONE
    values: State = field(default_factory=dict)
    conflicts: Sequence[FieldConflict] = ()
    obstacle: Obstacle | None = None
    duplicate_id: Id | None = None

    @property
    def can_be_forced(self) -> bool:
        """Whether the owner of the change may decide to lose what happened since."""
        return self.obstacle == Obstacle.CHANGED_SINCE


def reversal_of(
    item_id: Id, changes: Sequence[Change], now: State, moment: str, fields: Fields = MEMORY_FIELDS
) -> Reversal[Id]:
    """Return the reversal of the selected ones of the `changes` of an item since the first of them, oldest first.

    `now` is its current state. An item whose creation is undone becomes a tombstone at `moment`, an ISO 8601 time.
    """
    if any(change.is_selected and change.operation in _CREATIONS for change in changes):
        return _removal(item_id, changes, now, moment, fields)
    values: dict[str, Any] = {}
    conflicts: list[FieldConflict] = []
    for name in _touched(changes, fields):
        left, earlier = _ends(changes, name)
        current = now[name]
        if _same(name, current, earlier):
            continue
        if _same(name, current, left):
            values[name] = earlier
        elif name in fields.followers:
            if fields.followers[name] in values:
                values[name] = earlier
        elif name != "last_confirmed_at":
            conflicts.append(FieldConflict(name, current, earlier))
    return _reversal(item_id, values, conflicts, now)


def _reversal(item_id: Id, values: State, conflicts: Sequence[FieldConflict], now: State) -> Reversal[Id]:
    if conflicts:
        return Reversal(item_id, Effect.RESTORED, values, conflicts, Obstacle.CHANGED_SINCE)
    if not values:
        return Reversal(item_id)
    goes_away = values.get("deleted_at") is not None and now["deleted_at"] is None
    return Reversal(item_id, Effect.REMOVED if goes_away else Effect.RESTORED, values)


def _removal(item_id: Id, changes: Sequence[Change], now: State, moment: str, fields: Fields) -> Reversal[Id]:
    if now["deleted_at"] is not None:
        return Reversal(item_id)
    values = {"deleted_at": moment, "forget_reason": UNDONE_REASON}
    changed_since = [
        FieldConflict(name, now[name], None)
        for name in _touched(changes, fields)
        if name not in {*fields.followers, "last_confirmed_at"} and not _same(name, now[name], _ends(changes, name)[0])
    ]
    obstacle = Obstacle.CHANGED_SINCE if changed_since else None
    return Reversal(item_id, Effect.REMOVED, values, changed_since, obstacle)


def _touched(changes: Sequence[Change], fields: Fields) -> list[str]:
    """Return the fields that the selected changes have set, in the journal's order: a field before its followers."""
    touched = {name for change in changes if change.is_selected for name in change.after}
    if any(change.is_selected and change.operation in _CREATIONS for change in changes):
        touched = set(fields.names)
    return [name for name in fields.names if name in touched]


def _ends(changes: Sequence[Change], name: str) -> tuple[Any, Any]:
    """Return what the last selected changes of a field left, and what was there before them.

    Of several selected changes, those before a change by somebody else stay: their value was replaced anyway.
    """
    chain = [change for change in changes if name in change.after or change.operation in _CREATIONS]
    last = max(index for index, change in enumerate(chain) if change.is_selected)
    first = last
    while first > 0 and chain[first - 1].is_selected:
        first -= 1
    return chain[last].after.get(name), chain[first].before.get(name)


def _same(name: str, one: Any, other: Any) -> bool:
    if name in _TIMES and one is not None and other is not None:
        return datetime.fromisoformat(one) == datetime.fromisoformat(other)
    if name == "tags":
        return list(one or []) == list(other or [])
    return bool(one == other)
