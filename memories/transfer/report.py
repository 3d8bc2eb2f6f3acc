"""The report on an import: the outcome of every entry."""

from __future__ import annotations

import json

from memories.errors import LimitExceeded, MemoriesError, SecretRejected
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
        line |= {"outcome": FAILED, "reason": reason_of(outcome)}
    elif outcome is not None:
        line |= {"outcome": "duplicate" if outcome.is_duplicate else "inserted", "id": outcome.memory_id}
    return f"{json.dumps(line, ensure_ascii=False)}\n"


def reason_of(error: MemoriesError) -> str:
    """Return why an entry is rejected. If it has a secret or its text is too long, no name of a field is needed."""
    is_too_long = isinstance(error, LimitExceeded) and error.argument == "text"
    is_plain = is_too_long or isinstance(error, SecretRejected)
    return error.problem[:1].upper() + error.problem[1:] if is_plain else str(error)
