"""Undoing more changes than fit into one transaction, such as an import of 100,000 memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from django.utils.translation import gettext

from memories.access import Actor
from memories.errors import NotFound
from memories.undo.outcomes import Resolution
from memories.undo.reversal import Id
from memories.undo.selection import Selection, selected_entries
from memories.undo.undoing import UndoOutcome, preview, undo

PART: Final = 10_000
"""Number of memories or documents that are undone in one transaction, which takes some five seconds."""


@dataclass(frozen=True, slots=True)
class SelectedIds:
    """The things that a selection concerns: memories, the latest first, as changes are undone, and documents."""

    memory_ids: Sequence[int]
    document_ids: Sequence[UUID]

    def __len__(self) -> int:
        return len(self.memory_ids) + len(self.document_ids)

    def after(self, memory_id: int | None, document_id: UUID | None) -> SelectedIds:
        """Return what follows these ids; None for the beginning."""
        if document_id is not None:
            return SelectedIds((), [each for each in self.document_ids if each > document_id])
        if memory_id is not None:
            return SelectedIds([each for each in self.memory_ids if each < memory_id], self.document_ids)
        return self

    def parts(self, selection: Selection) -> Iterator[Selection]:
        """Yield the parts of the selection, each with at most PART memories or documents."""
        for memory_ids in _parts(self.memory_ids):
            yield replace(selection, memory_ids=memory_ids, document_ids=())
        for document_ids in _parts(self.document_ids):
            yield replace(selection, memory_ids=(), document_ids=document_ids)


def selected_ids(actor: Actor, selection: Selection) -> SelectedIds:
    """Return what the selection concerns. Raises NotFound if no change of memories or documents is selected."""
    pairs = selected_entries(actor, selection).order_by().values_list("memory_id", "document_id").distinct()
    found = list(pairs)
    memory_ids = sorted({memory_id for memory_id, _ in found if memory_id is not None}, reverse=True)
    document_ids = sorted({document_id for _, document_id in found if document_id is not None})
    if not memory_ids and not document_ids:
        raise NotFound(gettext("There are no such changes."))
    return SelectedIds(memory_ids, document_ids)


def in_parts(
    actor: Actor, selection: Selection, default: Resolution = Resolution.KEEP, *, dry_run: bool = False
) -> Iterator[UndoOutcome]:
    """Undo the selected changes, or preview that, PART memories or documents at a time, and yield each outcome.

    All parts are one change set. If the process dies, those that were yielded are undone, and the same call undoes the
    rest. Raises the errors of `undo`, NotFound if no change is selected.
    """
    for part in selected_ids(actor, selection).parts(selection):
        yield (preview if dry_run else undo)(actor, part, default=default)


def _parts(ids: Sequence[Id]) -> Iterator[Sequence[Id]]:
    return (ids[start : start + PART] for start in range(0, len(ids), PART))
