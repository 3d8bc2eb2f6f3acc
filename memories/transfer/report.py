"""The report on an import: the outcome of every entry."""

from __future__ import annotations

import json

from memories.errors import MemoriesError
from memories.transfer.entries import Entry
from memories.transfer.importer import ImportOutcome

FAILED = "failed"
"""The outcome of an entry that could not be imported."""


def report_line(entry: Entry, outcome: ImportOutcome | None) -> str:
    """Return the outcome of an entry as a line of JSON: its place, and its memory's id or the reason."""
    line: dict[str, object] = {"place": entry.place}
    if entry.left_out is not None:
        line |= {"outcome": "left out", "reason": entry.left_out}
    elif isinstance(outcome, MemoriesError):
        line |= {"outcome": FAILED, "reason": str(outcome)}
    elif outcome is not None:
        line |= {"outcome": "duplicate" if outcome.is_duplicate else "inserted", "id": outcome.memory_id}
    return f"{json.dumps(line, ensure_ascii=False)}\n"
