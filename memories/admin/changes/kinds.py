"""Kinds of changes in the words of the pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from common.relative_times import plural
from memories.models import JournalEntry

Operation = JournalEntry.Operation


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of change that the owner can filter by. `name` is its value in a query."""

    name: str
    title: str
    operations: tuple[Operation, ...]


KINDS = {
    kind.name: kind
    for kind in (
        Kind("added", "Added", (Operation.REMEMBER, Operation.REVIVE)),
        Kind("changed", "Changed", (Operation.UPDATE, Operation.CONFIRM)),
        Kind("forgot", "Forgot", (Operation.FORGET, Operation.HARD_DELETE)),
        Kind("restored", "Restored", (Operation.RESTORE,)),
        Kind("reviewed", "Reviewed", (Operation.ACCEPT, Operation.REJECT)),
        Kind("undone", "Undone", (Operation.UNDO,)),
    )
}

_VERBS: Mapping[str, str] = {
    Operation.REMEMBER: "added",
    Operation.REVIVE: "activated",
    Operation.UPDATE: "changed",
    Operation.CONFIRM: "confirmed",
    Operation.FORGET: "forgot",
    Operation.RESTORE: "restored",
    Operation.ACCEPT: "kept",
    Operation.REJECT: "rejected",
    Operation.UNDO: "undid changes of",
    Operation.HARD_DELETE: "permanently deleted",
}
"""What somebody did, in the order of a sentence about a change set."""


def verb_of(operation: str) -> str:
    """Return the verb in the past tense, such as "forgot"."""
    return _VERBS[operation]


def kind_of(operation: str) -> Kind:
    """Return the kind that an operation belongs to."""
    return next(kind for kind in KINDS.values() if operation in kind.operations)


def sentence_of(client_name: str, counts: Mapping[str, int]) -> str:
    """Return what a client did, such as "Claude added 6 memories and changed 2". `counts` are by operation."""
    done = [(verb, counts[operation]) for operation, verb in _VERBS.items() if counts.get(operation)]
    phrases = [
        f"{verb} {plural(count, 'memory', 'memories') if number == 0 else f'{count:,}'}"
        for number, (verb, count) in enumerate(done)
    ]
    return f"{client_name[:1].upper()}{client_name[1:]} {_joined(phrases)}"


def _joined(phrases: Iterable[str]) -> str:
    *first, last = phrases
    return f"{', '.join(first)} and {last}" if first else last
