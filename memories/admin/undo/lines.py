"""The effects of an undo, in the words of its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from common.pages.relative_times import plural
from memories.access import View
from memories.admin.base import acting_owner
from memories.admin.history import FieldChange, field_changes
from memories.models import Memory
from memories.undo.documents import DescribedDocument, documents
from memories.undo.outcomes import Outcome
from memories.undo.reversal import Effect, Id, Obstacle, Reversal, State
from memories.undo.undoing import UndoOutcome
from memories.writing.journal import snapshot

SHOWN = 50
"""Number of memories, and of documents, that the page shows of each kind."""

_OBSTACLES: Mapping[Obstacle, str] = {
    Obstacle.SAME_TEXT: gettext_noop("Another memory now has its text."),
    Obstacle.ADDED_AGAIN: gettext_noop("It has been added again since."),
    Obstacle.CONTENT_GONE: gettext_noop("Its earlier version no longer exists."),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A memory or document, its text or title, its page, and the fields that would change.

    `comes_back` says that it is no longer forgotten. `duplicate_url` is the page of the one that is in its way.
    """

    id: int | UUID
    url: str
    text: str
    changes: Sequence[FieldChange]
    obstacle: str = ""
    duplicate_url: str = ""
    can_keep_both: bool = False
    comes_back: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Memories or documents that an undo treats in the same way: the first SHOWN, and how many more there are.

    `counted` is their number with a noun.
    """

    count: int
    counted: str
    lines: Sequence[Line]

    @property
    def more(self) -> int:
        return self.count - len(self.lines)


@dataclass(frozen=True, slots=True)
class Parts:
    """The part of the page about the memories, or the documents, of an undo."""

    restored: Part
    removed: Part
    conflicts: Part
    blocked: Part
    unchanged: Part
    deleted: Part

    @property
    def certain(self) -> int:
        """The number of memories or documents that change without a further decision."""
        return self.restored.count + self.removed.count


@dataclass(frozen=True, slots=True)
class Plan:
    """The content of the page of an undo. `from_sources` counts the documents that a sync may change again."""

    memories: Parts
    documents: Parts
    synonyms: int
    from_sources: int

    @property
    def all_parts(self) -> Sequence[Parts]:
        return (self.memories, self.documents)

    @property
    def certain(self) -> int:
        """The number of memories and documents that change without a further decision."""
        return sum(parts.certain for parts in self.all_parts)

    @property
    def changes_something(self) -> bool:
        return bool(self.certain or self.synonyms or any(parts.conflicts.count for parts in self.all_parts))

    @property
    def needs_choices(self) -> bool:
        """Whether nothing changes unless the owner decides so for something that was changed again since."""
        return self.changes_something and not self.certain and not self.synonyms

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say."""
        return not self.changes_something and not any(
            parts.blocked.count or parts.deleted.count for parts in self.all_parts
        )


def plan_of(view: View, outcome: UndoOutcome) -> Plan:
    """Return what the page shows of `outcome`. At most four queries."""
    memories = Memory.objects.visible_including_quarantined(view).in_bulk(_shown_ids(outcome))
    found = documents().described(view, _shown_ids(outcome.documents))
    states = documents().known_states(acting_owner(view.owner_id), found)
    return Plan(
        _parts(outcome, lambda count: plural(count, "memory", "memories"), partial(_memory_line, memories)),
        _parts(
            outcome.documents,
            lambda count: plural(count, "document", "documents"),
            partial(_document_line, found, states),
        ),
        outcome.synonyms,
        documents().count_from_sources(outcome.documents.changed_ids) if outcome.documents.changed_ids else 0,
    )


def _groups(outcome: Outcome[Id]) -> Sequence[Sequence[Reversal[Id]]]:
    """Return the restored, the removed, the conflicts, and those that cannot be decided about."""
    conflicts = [each for each in outcome.conflicts if each.can_be_forced]
    blocked = [each for each in outcome.conflicts if not each.can_be_forced]
    return (outcome.restored, outcome.removed, conflicts, blocked)


def _shown_ids(outcome: Outcome[Id]) -> list[Id]:
    return [reversal.item_id for group in _groups(outcome) for reversal in group[:SHOWN]]


def _parts(outcome: Outcome[Id], counted: Callable[[int], str], line: Callable[[Reversal[Id]], Line]) -> Parts:
    restored, removed, conflicts, blocked = (
        Part(len(group), counted(len(group)), [line(each) for each in group[:SHOWN]]) for group in _groups(outcome)
    )
    unchanged, deleted = (Part(count, counted(count), ()) for count in (outcome.unchanged, len(outcome.deleted_ids)))
    return Parts(restored, removed, conflicts, blocked, unchanged, deleted)


def _memory_line(memories: Mapping[int, Memory], reversal: Reversal[int]) -> Line:
    memory = memories.get(reversal.item_id)
    return Line(
        reversal.item_id,
        _memory_url(reversal.item_id),
        memory.text if memory else "",
        _changes(reversal, snapshot(memory)) if memory else (),
        _obstacle(reversal.obstacle),
        _memory_url(reversal.duplicate_id) if reversal.duplicate_id else "",
        any(conflict.name == "text" and conflict.earlier for conflict in reversal.conflicts),
        gettext("Becomes active again") if memory and _is_restored(reversal, snapshot(memory)) else "",
    )


def _document_line(
    found: Mapping[UUID, DescribedDocument], states: Mapping[UUID, State], reversal: Reversal[UUID]
) -> Line:
    document, state = found.get(reversal.item_id), states.get(reversal.item_id)
    return Line(
        reversal.item_id,
        _document_url(reversal.item_id),
        document.title if document else "",
        _changes(reversal, state, document.shown) if document and state else (),
        _obstacle(reversal.obstacle),
        _document_url(reversal.duplicate_id) if reversal.duplicate_id else "",
        comes_back=gettext("Is in the library again") if state and _is_restored(reversal, state) else "",
    )


def _is_restored(reversal: Reversal[Id], state: State) -> bool:
    """Return whether a forgotten memory or document becomes active. In the inbox, or expired, it is not active."""
    then = {**state, **reversal.values}
    is_back = state["deleted_at"] is not None and then["deleted_at"] is None and reversal.obstacle is None
    expires_at = then.get("expires_at")
    has_expired = expires_at is not None and datetime.fromisoformat(expires_at) <= timezone.now()
    return is_back and not has_expired and then["quarantined_from"] is None


def _obstacle(obstacle: Obstacle | None) -> str:
    return gettext(_OBSTACLES[obstacle]) if obstacle and obstacle in _OBSTACLES else ""


def _memory_url(memory_id: int) -> str:
    return reverse("admin:memories_memory_change", args=[memory_id])


def _document_url(document_id: UUID) -> str:
    return reverse("admin:documents_document_change", args=[document_id])


def _unchanged(state: State) -> State:
    return state


def _changes(reversal: Reversal[Id], state: State, shown: Callable[[State], State] = _unchanged) -> list[FieldChange]:
    """Return what would change. That something goes away, or comes back, is said by the heading."""
    earlier = {**reversal.values, **{conflict.name: conflict.earlier for conflict in reversal.conflicts}}
    if reversal.effect == Effect.REMOVED:
        earlier = {}
    if "text" in earlier:
        # A new text counts as a confirmation, and its times are read from it. That needs no words.
        for follows in ("last_confirmed_at", "valid_from", "valid_until"):
            earlier.pop(follows, None)
    return list(field_changes(shown({name: value for name, value in state.items() if name in earlier}), shown(earlier)))
