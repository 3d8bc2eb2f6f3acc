"""What an undo would do, in the words of its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memories.access import View
from memories.admin.history import FieldChange, field_changes
from memories.models import Memory
from memories.undo.reversal import Effect, Obstacle, Reversal
from memories.undo.undoing import UndoOutcome
from memories.writing.journal import snapshot

SHOWN = 50
"""Number of memories that the page shows of each kind."""


@dataclass(frozen=True, slots=True)
class Line:
    """A memory, its text, and the fields that would change."""

    memory_id: int
    text: str
    changes: Sequence[FieldChange]
    obstacle: str = ""
    duplicate_id: int | None = None
    can_keep_both: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """The memories that an undo treats in the same way: the first SHOWN of them, and how many more there are."""

    count: int
    lines: Sequence[Line]

    @property
    def more(self) -> int:
        return self.count - len(self.lines)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the page shows of an undo."""

    restored: Part
    removed: Part
    conflicts: Part
    blocked: Part
    unchanged: int
    deleted: int
    synonyms: int

    @property
    def certain(self) -> int:
        """The number of memories that change without a further decision."""
        return self.restored.count + self.removed.count

    @property
    def changes_something(self) -> bool:
        return bool(self.restored.count or self.removed.count or self.conflicts.count or self.synonyms)


def plan_of(view: View, outcome: UndoOutcome) -> Plan:
    """Return what the page shows of `outcome`. One query."""
    conflicts = [each for each in outcome.conflicts if each.can_be_forced]
    blocked = [each for each in outcome.conflicts if not each.can_be_forced]
    groups = [outcome.restored, outcome.removed, conflicts, blocked]
    shown = [reversal.memory_id for group in groups for reversal in group[:SHOWN]]
    memories = Memory.objects.visible_including_quarantined(view).in_bulk(shown)
    restored, removed, changed, stuck = (
        Part(len(group), [_line(each, memories) for each in group[:SHOWN]]) for group in groups
    )
    return Plan(restored, removed, changed, stuck, outcome.unchanged, len(outcome.deleted_ids), outcome.synonyms)


def _line(reversal: Reversal, memories: dict[int, Memory]) -> Line:
    memory = memories.get(reversal.memory_id)
    return Line(
        reversal.memory_id,
        memory.text if memory else "",
        _changes(reversal, memory) if memory else (),
        "Another memory has its text now." if reversal.obstacle == Obstacle.SAME_TEXT else "",
        reversal.duplicate_id,
        any(conflict.name == "text" and conflict.earlier for conflict in reversal.conflicts),
    )


def _changes(reversal: Reversal, memory: Memory) -> list[FieldChange]:
    """Return what would change. That a memory goes away, or comes back, is said by the heading."""
    earlier = {**reversal.values, **{conflict.name: conflict.earlier for conflict in reversal.conflicts}}
    if reversal.effect == Effect.REMOVED:
        earlier = {}
    if "text" in earlier:
        # A new text counts as a confirmation, and its times are read from it. That needs no words.
        for follows in ("last_confirmed_at", "valid_from", "valid_until"):
            earlier.pop(follows, None)
    return list(field_changes({name: value for name, value in snapshot(memory).items() if name in earlier}, earlier))
