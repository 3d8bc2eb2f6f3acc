"""The state of an import of an archive: what was stored, and the new ids of memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memories.access import Actor
from memories.transfer.archive.memory_ids import MemoryIds
from memories.transfer.archive.placeholder_numbers import PlaceholderNumbers
from memories.transfer.archive.reader import ArchiveReader

MAX_NOTES = 20
"""Number of notes that a summary has."""


@dataclass(slots=True)
class Counts:
    """The numbers of items of a kind that were stored, existed, and were refused by this installation's rules."""

    added: int = 0
    present: int = 0
    refused: int = 0


@dataclass(slots=True)
class Summary:
    """The result of an import: counts by kind, and sentences about refused items and differing settings."""

    counts: dict[str, Counts] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def of(self, kind: str) -> Counts:
        """Return the counts of a kind."""
        return self.counts.setdefault(kind, Counts())

    def refuse(self, kind: str, place: str, reason: object) -> None:
        """Count a refused item, and note the first ones."""
        self.of(kind).refused += 1
        if len(self.notes) < MAX_NOTES:
            self.notes.append(f"{place}: {reason}")


@dataclass(slots=True)
class DocumentIds:
    """Documents of the archive by their former ids: those that were stored, with their ids here, and the others."""

    restored: dict[UUID, UUID] = field(default_factory=dict)
    others: set[UUID] = field(default_factory=set)


@dataclass(slots=True)
class Restoration:
    """One import. `memory_ids` is complete when the memories are restored, and `document_ids` when the documents are.

    Those are the first parts.
    """

    actor: Actor
    archive: ArchiveReader
    memory_ids: MemoryIds
    placeholder_numbers: PlaceholderNumbers
    summary: Summary = field(default_factory=Summary)
    document_ids: DocumentIds = field(default_factory=DocumentIds)

    def translated(self, state: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
        """Return a copy of `state` in which the ids of memories in the fields `names` are those they have here."""
        changed = {name: state[name] for name in names if isinstance(state.get(name), int)}
        return {**state, **{name: self.memory_ids.known_or_new(value) for name, value in changed.items()}}
