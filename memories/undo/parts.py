"""Undoing more changes than fit into one transaction, such as an import of 100,000 memories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from memories.access import Actor
from memories.errors import NotFound
from memories.undo.selection import Selection, selected_entries
from memories.undo.undoing import Resolution, UndoOutcome, preview, undo

PART: Final = 10_000
"""Number of memories that are undone in one transaction, which takes some five seconds."""


def in_parts(
    actor: Actor, selection: Selection, default: Resolution = Resolution.KEEP, *, dry_run: bool = False
) -> Iterator[UndoOutcome]:
    """Undo the selected changes, or preview that, PART memories at a time, and yield each outcome.

    All parts are one change set. If the process dies, those that were yielded are undone, and the same call undoes the
    rest. Raises the errors of `undo`, NotFound if no change is selected.
    """
    entries = selected_entries(actor, selection).order_by().values_list("memory_id", flat=True)
    # The latest first, as changes are undone.
    memory_ids = sorted(set(entries), reverse=True)
    if not memory_ids:
        raise NotFound("There are no such changes.")
    for start in range(0, len(memory_ids), PART):
        part = replace(selection, memory_ids=memory_ids[start : start + PART])
        yield (preview if dry_run else undo)(actor, part, default=default)
